import type { Child } from 'hono/jsx'
import { describeShowing } from '../../../model/moment.ts'
import type { WorkflowEvent } from '../../../model/records.ts'
import { countMemories } from '../format.ts'
import { EventText, isObject, listOf } from '../parts/event-text.tsx'
import { Chip, Time } from '../parts/memory-parts.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import type { View } from '../view.ts'
import { Entry, OutcomeEntry } from './entries.tsx'
import type { SessionDetail } from './read-session.ts'

interface Step {
  at: string
  kind?: 'warn' | undefined
  title: Child
  /** Items of a list. */
  entries?: readonly Child[]
  /** The same, folded away under a line. */
  omitted?: readonly Child[]
}

export function Timeline({ view, detail }: { view: View; detail: SessionDetail }) {
  const { session, events } = detail
  // What was recorded stands before what was refused at the same time.
  const captures = events
    .filter(({ type }) => type === 'capture')
    .sort((a, b) => Number(hasOutcomes(b)) - Number(hasOutcomes(a)))
  const steps: Step[] = [
    { at: session.startedAt, title: <b>It began</b> },
    ...showings(view, detail),
    ...events.filter(({ type }) => type !== 'capture' && type !== 'showing').map(workflowStep),
    ...captureSteps(view, captures, detail),
    ...(captures.some(hasOutcomes) || detail.left.length === 0 ? [] : [leftStep(view, detail)]),
  ]
  if (session.endedAt !== null) {
    const title = (
      <>
        <b>It ended</b>: <Outcome session={session} />
      </>
    )
    // What it said is stored a moment after it ended.
    steps.push({ at: [session.endedAt, ...captures.map(({ at }) => at)].sort().at(-1)!, title })
  }
  return (
    <ol class="timeline">
      {steps
        .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
        .map((step) => (
          <StepItem {...step} />
        ))}
    </ol>
  )
}

function StepItem({ at, kind, title, entries = [], omitted = [] }: Step) {
  return (
    <li class={kind}>
      {title}{' '}
      <span class="soft">
        · <Time at={at} />
      </span>
      {entries.length === 0 ? null : <ul class="entries">{entries}</ul>}
      {omitted.length === 0 ? null : (
        <details>
          <summary>{countMemories(omitted.length)} left out</summary>
          <ul class="entries">{omitted}</ul>
        </details>
      )}
    </li>
  )
}

function showings(view: View, { shown, events, asOf }: SessionDetail): Step[] {
  const groups = Map.groupBy(shown, ({ at, format }) => `${at} ${format}`)
  return [...groups.values()].map((injections) => {
    const { at, format } = injections[0]!
    const event = events.find((each) => each.type === 'showing' && each.at === at && each.data.format === format)
    const entry = (id: string, note: string) => <Entry view={view} id={id} met={asOf(id, at)} note={note} />
    return {
      at,
      title: (
        <>
          <b>Was shown {countMemories(injections.length)}</b> <Stored text={describeShowing(format)} />
        </>
      ),
      entries: injections.map(({ memory, tokens }) => entry(memory, `${tokens} tokens`)),
      omitted: listOf(event?.data.omitted)
        .filter(isObject)
        .map(({ memory, reason }) => entry(String(memory), String(reason))),
    }
  })
}

function hasOutcomes({ data }: WorkflowEvent): boolean {
  return listOf(data.outcomes).length > 0
}

/** A refusal is told where it first happened: a session that is read again repeats it. */
function captureSteps(view: View, captures: readonly WorkflowEvent[], { asOf }: SessionDetail): Step[] {
  const told = new Set<string>()
  return captures.flatMap((event) => {
    const refusals = listOf(event.data.refusals)
      .filter(isObject)
      .filter((each) => !told.has(JSON.stringify(each)) && told.add(JSON.stringify(each)))
    const outcomes = listOf(event.data.outcomes).filter(isObject)
    if (outcomes.length === 0 && refusals.length === 0) return []
    const title = (
      <>
        <b>{outcomes.length === 0 ? 'Not remembered' : 'Recorded'}</b>:{' '}
        <EventText event={{ ...event, data: { ...event.data, refusals } }} />
      </>
    )
    const entries = [
      ...outcomes.map((outcome) => (
        <OutcomeEntry view={view} told={outcome} met={asOf(String(outcome.memory), event.at)} />
      )),
      ...refusals.map(({ reason, excerpt }) => (
        <li>
          <Chip text="Refused" kind="warn" /> <Stored text={String(excerpt)} />
          <div class="about">
            <Stored text={String(reason)} />
          </div>
        </li>
      )),
    ]
    return [{ at: event.at, kind: refusals.length > 0 ? ('warn' as const) : undefined, title, entries }]
  })
}

/** For a run whose captures were not recorded as events. */
function leftStep(view: View, { left, asOf }: SessionDetail): Step {
  return {
    at: left.at(-1)!.createdAt,
    title: <b>Recorded {countMemories(left.length)}</b>,
    entries: left.map(({ id, createdAt }) => <Entry view={view} id={id} met={asOf(id, createdAt)} />),
  }
}

function workflowStep(event: WorkflowEvent): Step {
  const title = (
    <>
      <b>{event.type.replace('_', ' ')}</b> <EventText event={event} />
    </>
  )
  return { at: event.at, title, kind: event.type === 'rejection' ? 'warn' : undefined }
}
