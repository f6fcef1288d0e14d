import type { Child } from 'hono/jsx'
import type { JsonValue } from '../../../model/memory.ts'
import type { WorkflowEvent } from '../../../model/records.ts'
import { countOf } from '../format.ts'
import { EventText, isObject, listOf } from '../parts/event-text.tsx'
import { Time } from '../parts/memory-parts.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import type { View } from '../view.ts'
import type { AsOf } from './as-of.ts'
import { Entry, Told } from './entries.tsx'
import type { SessionDetail } from './read-session.ts'

interface Step {
  at: string
  kind?: 'warn' | 'bad'
  title: Child
  body?: Child
}

/** From its start to its end: what it was shown and what was left out, what it left, reinforced and was refused. */
export function Timeline({ view, detail }: { view: View; detail: SessionDetail }) {
  const { session } = detail
  // What was left stands before what was refused at the same time.
  const captures = detail.events
    .filter(({ type }) => type === 'capture')
    .sort((a, b) => Number(hasOutcomes(b)) - Number(hasOutcomes(a)))
  const steps: Step[] = [
    { at: session.startedAt, title: <b>It began</b> },
    ...showings(view, detail),
    ...detail.events.filter(({ type }) => type !== 'capture' && type !== 'showing').map((event) => workflowStep(event)),
    ...captureSteps(view, captures, detail.asOf),
    ...(captures.some(hasOutcomes) ? [] : leftSteps(view, detail)),
    ...(session.endedAt === null
      ? []
      : [
          {
            // What it said is stored a moment after it ended.
            at: [session.endedAt, ...captures.map(({ at }) => at)].sort().at(-1)!,
            title: (
              <>
                <b>It ended</b>: <Outcome session={session} />
              </>
            ),
          },
        ]),
  ]
  return (
    <ol class="timeline">
      {steps
        .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
        .map(({ at, kind, title, body }) => (
          <li class={kind}>
            {title}{' '}
            <span class="soft">
              · <Time at={at} now={view.now} />
            </span>
            {body}
          </li>
        ))}
    </ol>
  )
}

function showings(view: View, { shown, events, asOf }: SessionDetail): Step[] {
  const told = events.filter(({ type }) => type === 'showing')
  const groups = Map.groupBy(shown, ({ at, format }) => `${at} ${format}`)
  return [...groups.values()].map((entries) => {
    const { at, format } = entries[0]!
    const event = told.find((each) => each.at === at && each.data.format === format)
    const omitted = listOf(event?.data.omitted)
    return {
      at,
      title: (
        <>
          <b>Was shown {countOf(entries.length, 'memory', 'memories')}</b> <span class="soft">({format})</span>
        </>
      ),
      body: (
        <>
          <ul class="entries">
            {entries.map(({ memory, tokens }) => (
              <Entry view={view} id={memory} met={asOf(memory, at)} note={`${tokens} tokens`} />
            ))}
          </ul>
          {omitted.length === 0 ? null : (
            <details>
              <summary>{countOf(omitted.length, 'memory', 'memories')} left out</summary>
              <ul class="entries">
                {omitted.map((each) =>
                  isObject(each) ? (
                    <Entry
                      view={view}
                      id={String(each.memory)}
                      met={asOf(String(each.memory), at)}
                      note={String(each.reason)}
                    />
                  ) : null,
                )}
              </ul>
            </details>
          )}
        </>
      ),
    }
  })
}

function hasOutcomes({ data }: WorkflowEvent): boolean {
  return listOf(data.outcomes).length > 0
}

/** What was refused is told where it first was: a session that is read again repeats it. */
function captureSteps(view: View, captures: readonly WorkflowEvent[], asOf: AsOf): Step[] {
  const told = new Set<string>()
  return captures.flatMap((event) => {
    const refusals = listOf(event.data.refusals).filter((each) => {
      const key = JSON.stringify(each)
      return isObject(each) && !told.has(key) && told.add(key)
    })
    return hasOutcomes(event) || refusals.length > 0 ? [captureStep(view, event, refusals, asOf)] : []
  })
}

function captureStep(view: View, event: WorkflowEvent, refused: readonly JsonValue[], asOf: AsOf): Step {
  const outcomes = listOf(event.data.outcomes).filter(isObject)
  const refusals = refused.filter(isObject)
  return {
    at: event.at,
    ...(refusals.length > 0 ? { kind: 'warn' as const } : {}),
    title: (
      <>
        <b>{outcomes.length === 0 ? 'Not remembered' : 'It left something'}</b>:{' '}
        <EventText event={{ ...event, data: { ...event.data, refusals } }} />
      </>
    ),
    body: (
      <ul class="entries">
        {outcomes.map((outcome) => (
          <Told view={view} told={outcome} met={asOf(String(outcome.memory), event.at)} />
        ))}
        {refusals.map(({ reason, excerpt }) => (
          <li>
            <span class="chip warn">Refused</span> <Stored text={String(excerpt)} />
            <div class="about">
              <Stored text={String(reason)} />
            </div>
          </li>
        ))}
      </ul>
    ),
  }
}

function leftSteps(view: View, { left, asOf }: SessionDetail): Step[] {
  if (left.length === 0) return []
  return [
    {
      at: left.at(-1)!.createdAt,
      title: <b>It left {countOf(left.length, 'memory', 'memories')}</b>,
      body: (
        <ul class="entries">
          {left.map(({ id, createdAt }) => (
            <Entry view={view} id={id} met={asOf(id, createdAt)} />
          ))}
        </ul>
      ),
    },
  ]
}

function workflowStep(event: WorkflowEvent): Step {
  const title = (
    <>
      <b>{event.type.replace('_', ' ')}</b> <EventText event={event} />
    </>
  )
  return { at: event.at, title, ...(event.type === 'rejection' ? { kind: 'warn' as const } : {}) }
}
