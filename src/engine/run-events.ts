import { createHash } from 'node:crypto'
import { cleanPrompt } from '../guard/clean-prompt.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Outcome, Refusal } from '../model/outcome.ts'
import type { Write } from '../storage/commit.ts'
import { withoutQuotes } from './remember/note.ts'

/** The type of the event that keeps a session's prompt. */
export const PROMPT = 'prompt'

/** Memories that an event names at most: it tells a person what happened, and is no list. */
const MOST_NAMED = 100
const MOST_WORDS = 300

/** A memory that a session could have been shown and was not. */
export interface Omission {
  memory: string
  reason: string
}

/**
 * What became of what a session said, for whoever looks at the run later. Nothing when it only said what it had said before:
 * the same session read twice is told once. What was refused is an event of its own, as nobody can tell by its outcomes
 * whether it was told before.
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
      // What was said before is, or was, in a memory: a purge that erases that has to leave no words of it here.
      ...(kind === 'refuse' ? { content: shorten(content) } : {}),
      ...(held ? { held } : {}),
    }
  })
  const data = { outcomes: told, refusals: [] }
  return event('capture', [session, data], { session, identifiers, at, data })
}

/** What a session said that could not even be judged, and why. */
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

/** What a session was asked to do. The first prompt stands: the event's id is the session's. */
export function promptEvent(session: string, identifiers: Identifiers, at: Date, prompt: string): Write[] {
  const text = cleanPrompt(prompt)
  return text === '' ? [] : [event(PROMPT, [session], { session, identifiers, at, data: { text } })]
}

/** What a session was shown and what was left out, and why. */
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

/** The same thing told twice has the same id. */
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
