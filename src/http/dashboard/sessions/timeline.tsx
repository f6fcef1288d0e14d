import type { Child } from 'hono/jsx'
import { PROMPT } from '../../../engine/run-events.ts'
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
  /** The items of a timeline entry. */
  entries?: readonly Child[]
  /** The same, collapsed under a summary line. */
  omitted?: readonly Child[]
}

export function Timeline({ view, detail }: { view: View; detail: SessionDetail }) {
  const { run, events } = detail
  const { session, prompt } = run
  // Recorded items come before items refused at the same time.
  const captures = events
    .filter(({ type }) => type === 'capture')
    .sort((a, b) => Number(hasOutcomes(b)) - Number(hasOutcomes(a)))
  const steps: Step[] = [
    // The heading of the page already shows the prompt.
    { at: session.startedAt, title: <b>{prompt === null ? 'It began' : 'Was asked'}</b> },
    ...showings(view, detail),
    ...events.filter(({ type }) => !['capture', 'showing', PROMPT].includes(type)).map(workflowStep),
    ...captureSteps(view, captures, detail),
    ...(captures.some(hasOutcomes) || detail.left.length === 0 ? [] : [leftStep(view, detail)]),
  ]
  if (session.endedAt !== null) {
    const title = (
      <>
        <b>It ended</b>: <Outcome session={session} />
      </>
    )
    // The last output is stored shortly after the run ended.
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

/** Number of entries shown at first; the rest can be expanded. */
const MOST_SEEN = 6

function StepItem({ at, kind, title, entries = [], omitted = [] }: Step) {
  const isLong = entries.length > MOST_SEEN + 1
  const rest = isLong ? entries.slice(MOST_SEEN) : []
  return (
    <li class={kind}>
      {title}{' '}
      <span class="soft">
        · <Time at={at} />
      </span>
      {entries.length === 0 ? null : <ul class="entries">{isLong ? entries.slice(0, MOST_SEEN) : entries}</ul>}
      {rest.length === 0 ? null : (
        <details>
          <summary>{rest.length} more</summary>
          <ul class="entries">{rest}</ul>
        </details>
      )}
      {omitted.length === 0 ? null : (
        <details>
          <summary>{countMemories(omitted.length)} left out</summary>
          <ul class="entries">{omitted}</ul>
        </details>
      )}
    </li>
  )
}

function showings(view: View, { run, shown, events, asOf }: SessionDetail): Step[] {
  const used = new Set(run.used)
  const groups = Map.groupBy(shown, ({ at, format }) => `${at} ${format}`)
  return [...groups.values()].map((injections) => {
    const { at, format } = injections[0]!
    const event = events.find((each) => each.type === 'showing' && each.at === at && each.data.format === format)
    const entry = (id: string, more: { note?: string; isUsed?: boolean }) => (
      <Entry view={view} id={id} met={asOf(id, at)} {...more} />
    )
    // Used memories come first.
    const inOrder = injections.toSorted((a, b) => Number(used.has(b.memory)) - Number(used.has(a.memory)))
    const acted = injections.filter(({ memory }) => used.has(memory)).length
    return {
      at,
      title: (
        <>
          <b>Was shown {countMemories(injections.length)}</b> <Stored text={describeShowing(format)} />
          {acted === 0 ? '' : `, and used ${acted}`}
        </>
      ),
      entries: inOrder.map(({ memory }) => entry(memory, { isUsed: used.has(memory) })),
      omitted: listOf(event?.data.omitted)
        .filter(isObject)
        .map(({ memory, reason }) => entry(String(memory), { note: String(reason) })),
    }
  })
}

function hasOutcomes({ data }: WorkflowEvent): boolean {
  return listOf(data.outcomes).length > 0
}

/** A refusal is listed once, where it first happened: capturing a session again repeats it. */
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
