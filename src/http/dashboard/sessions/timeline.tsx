import type { Child } from 'hono/jsx'
import type { Memory } from '../../../model/memory.ts'
import type { WorkflowEvent } from '../../../model/records.ts'
import { countOf } from '../format.ts'
import { EventText, isObject, listOf } from '../parts/event-text.tsx'
import { Time } from '../parts/memory-parts.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import type { View } from '../view.ts'
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
  const captures = detail.events.filter(({ type }) => type === 'capture')
  const steps: Step[] = [
    { at: session.startedAt, title: <b>It began</b> },
    ...showings(view, detail),
    ...detail.events.filter(({ type }) => type !== 'capture' && type !== 'showing').map((event) => workflowStep(event)),
    ...captures.map((event) => captureStep(view, event, detail.memories)),
    ...(captures.length === 0 ? leftSteps(view, detail.left) : []),
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

function showings(view: View, { shown, events, memories }: SessionDetail): Step[] {
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
            {entries.map(({ memory, current, tokens }) => (
              <Entry view={view} id={memory} memory={current} note={`${tokens} tokens`} />
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
                      memory={memories.get(String(each.memory)) ?? null}
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

function captureStep(view: View, event: WorkflowEvent, memories: ReadonlyMap<string, Memory>): Step {
  const outcomes = listOf(event.data.outcomes).filter(isObject)
  const refusals = listOf(event.data.refusals).filter(isObject)
  return {
    at: event.at,
    ...(refusals.length > 0 ? { kind: 'warn' as const } : {}),
    title: (
      <>
        <b>It left something</b>: <EventText event={event} />
      </>
    ),
    body: (
      <ul class="entries">
        {outcomes.map((outcome) => (
          <Told view={view} told={outcome} memory={memories.get(String(outcome.memory)) ?? null} />
        ))}
        {refusals.map(({ reason, excerpt }) => (
          <li>
            <span class="chip warn">Refused</span> <Stored text={String(excerpt)} />
            <div class="about">{String(reason)}</div>
          </li>
        ))}
      </ul>
    ),
  }
}

function leftSteps(view: View, left: readonly Memory[]): Step[] {
  if (left.length === 0) return []
  return [
    {
      at: left.at(-1)!.createdAt,
      title: <b>It left {countOf(left.length, 'memory', 'memories')}</b>,
      body: (
        <ul class="entries">
          {left.map((memory) => (
            <Entry view={view} id={memory.id} memory={memory} />
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
