import { createHash } from 'node:crypto'
import { cleanPrompt } from '../guard/clean-prompt.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Outcome, Refusal } from '../model/outcome.ts'
import type { Write } from '../storage/commit.ts'
import { withoutQuotes } from './remember/note.ts'

/** The type of event that stores a session's prompt. */
export const PROMPT = 'prompt'

/** Maximum memories named in an event, which informs a person and is not a list. */
const MOST_NAMED = 100
const MOST_WORDS = 300

/** A memory that a session could have been shown but was not. */
export interface Omission {
  memory: string
  reason: string
}

/**
 * The outcomes of a session's observations, for viewing the run later. Empty if it only repeated itself:
 * a session read twice is reported once. Refusals are a separate event, because their outcomes do not show
 * whether they were reported before.
 */
export function sessionEvents(
  session: string | undefined,
  identifiers: Identifiers,
  at: Date,
  outcomes: readonly Outcome[],
  refusals: readonly Refusal[] = [],
): Write[] {
  if (session === undefined) return []
  const isNew = outcomes.some(({ kind }) => kind !== 'duplicate')
  return [
    ...(isNew ? [outcomeEvent(session, identifiers, at, outcomes)] : []),
    ...refusalEvent(session, identifiers, at, refusals),
  ]
}

function outcomeEvent(session: string, identifiers: Identifiers, at: Date, outcomes: readonly Outcome[]): Write {
  const told = outcomes.slice(0, MOST_NAMED).map((outcome) => {
    const { kind, reason, content } = outcome
    const memory = 'memory' in outcome ? (outcome.memory?.id ?? null) : null
    const held = kind === 'insert' && outcome.memory.trust === 'quarantined'
    return {
      ...{ kind, reason: shorten(withoutQuotes(reason)), memory },
      // The words of an outcome are in a memory: purging it must leave none of them here.
      ...(kind === 'refuse' ? { content: shorten(content) } : {}),
      ...(held ? { held } : {}),
    }
  })
  const data = { outcomes: told, refusals: [] }
  return event('capture', [session, data], { session, identifiers, at, data })
}

/** What a session said that was not a valid candidate, with reasons. */
export function refusalEvent(
  session: string,
  identifiers: Identifiers,
  at: Date,
  refusals: readonly Refusal[],
): Write[] {
  if (refusals.length === 0) return []
  const refused = refusals.slice(0, MOST_NAMED).map(({ reason, excerpt }) => ({ reason, excerpt: shorten(excerpt) }))
  const data = { outcomes: [], refusals: refused }
  return [event('capture', [session, data], { session, identifiers, at, data })]
}

/** A session's prompt. The first one stays: the event's id is the session's. */
export function promptEvent(session: string, identifiers: Identifiers, at: Date, prompt: string): Write[] {
  const text = cleanPrompt(prompt)
  return text === '' ? [] : [event(PROMPT, [session], { session, identifiers, at, data: { text } })]
}

/** What a session was shown and what was left out, with reasons. */
export function showingEvent(
  session: string,
  identifiers: Identifiers,
  at: Date,
  { format, shown, omitted }: { format: string; shown: number; omitted: readonly Omission[] },
): Write[] {
  if (omitted.length === 0) return []
  const named = omitted.slice(0, MOST_NAMED).map(({ memory, reason }) => ({ memory, reason: shorten(reason) }))
  const data = { format, shown, omitted: named, omittedCount: omitted.length }
  return [event('showing', [session, format, at.toISOString()], { session, identifiers, at, data })]
}

type EventDetails = { session: string; identifiers: Identifiers; at: Date; data: object }

/** The same report sent twice has the same id. */
function event(type: string, of: unknown, { at, data, ...told }: EventDetails): Write {
  const id = createHash('sha256')
    .update(JSON.stringify([type, of]))
    .digest('hex')
    .slice(0, 32)
  return { kind: 'event', event: { ...told, id, type, at: at.toISOString(), data: data as never } }
}

function shorten(text: string): string {
  return text.length <= MOST_WORDS ? text : `${text.slice(0, MOST_WORDS).toWellFormed()}…`
}
