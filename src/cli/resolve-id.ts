import type { Nokosu } from '../engine/nokosu.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'
import { LIMITS } from '../model/limits.ts'
import { everyPage } from '../model/page.ts'
import type { Claim } from '../model/schema.ts'
import { nearest } from '../model/suggest.ts'
import { isPartOf } from '../text/id-part.ts'
import { cutTo } from './display-width.ts'
import { isWholeId, LEAST_OF_ID, shorten } from './short-id.ts'

export const MEMORY_ID = ['<id>', 'the id of a memory, or 6 characters or more of it'] as const

/** Maximum candidates listed for an ambiguous id. */
const MOST_LISTED = 10
/** Columns for each text, so that it stays on one line. */
const EXCERPT = 50

/** Resolves a whole id, or its beginning or end, among the memories that the caller may read. */
export async function resolveMemory(
  engine: Nokosu,
  claim: Claim,
  given: string,
  { deleted = false }: { deleted?: boolean } = {},
): Promise<string> {
  if ((await engine.get(given, claim)) !== null) return given
  // Other programs' ids have any length.
  if (deleted && (await engine.history(given, { ...claim, limit: 1 })).changes.length > 0) return given
  // A whole id that does not exist is up to the command.
  if (isWholeId(given)) return given.toUpperCase()
  if (given.length < LEAST_OF_ID) throw unknown('memory', given, null)
  const { ids } = await engine.findIds(given, { ...claim, deleted, limit: MOST_LISTED + 1 })
  if (ids.length === 1) return ids[0]!
  if (ids.length === 0 && !deleted) {
    const gone = await engine.findIds(given, { ...claim, deleted: true, limit: 1 })
    if (gone.ids.length > 0) throw wasDeleted(gone.ids[0]!)
  }
  if (ids.length === 0) throw unknown('memory', given, await similar(engine, claim, given))
  const lines = ids.map(async (id) => {
    const memory = await engine.get(id, claim)
    return `  ${id}  ${cutTo(memory?.content.replace(/\s+/g, ' ') ?? '(deleted)', EXCERPT)}`
  })
  throw ambiguous('memories', given, { ids, lines: await Promise.all(lines) })
}

/** Suggests an id that differs in a letter or two, as far as it was typed. */
async function similar(engine: Nokosu, claim: Claim, given: string): Promise<string | null> {
  const ends = [given.slice(0, LEAST_OF_ID), given.slice(-LEAST_OF_ID)]
  const found = await Promise.all(ends.map((part) => engine.findIds(part, { ...claim, limit: LIMITS.pageLimit })))
  const { memories } = await engine.list({ ...claim, includeInactive: true, limit: LIMITS.listLimit })
  const ids = [...found.flatMap((page) => page.ids), ...memories.map(({ id }) => id)]
  const parts = ids.flatMap((id) => [id.slice(-given.length), id.slice(0, given.length)])
  const meant = nearest(given, parts)
  return meant === null ? null : ids[Math.floor(parts.indexOf(meant) / 2)]!
}

/** The same for a session. */
export async function resolveSession(engine: Nokosu, claim: Claim, given: string): Promise<string> {
  if ((await engine.session(given, claim)) !== null) return given
  const pages = everyPage((position) => engine.sessions({ ...claim, limit: LIMITS.pageLimit, ...position }))
  const found = (await Array.fromAsync(pages)).flatMap(({ sessions }) => sessions)
  const matches = given.length < LEAST_OF_ID ? [] : found.filter(({ id }) => isPartOf(given, id))
  if (matches.length === 1) return matches[0]!.id
  const ids = found.map(({ id }) => id)
  if (matches.length === 0) throw unknown('session', given, nearest(given, ids))
  const lines = matches.map(({ id, agent, startedAt }) => `  ${id}  ${agent ?? '-'}  ${startedAt}`)
  throw ambiguous('sessions', given, { ids: matches.map(({ id }) => id), lines })
}

/** Why there is no memory with this whole id: it was deleted, or never existed. */
export async function nothingThere(engine: Nokosu, claim: Claim, id: string): Promise<MemoryError> {
  const { changes } = await engine.history(id, { ...claim, limit: 1 })
  if (changes.length > 0) return wasDeleted(id)
  const meant = await similar(engine, claim, id)
  const hint = meant === null ? {} : { hint: `Did you mean ${meant}?` }
  return new MemoryError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id, ...hint } })
}

function wasDeleted(id: string): MemoryError {
  const hint = `What it said, and how to restore it:\n  nokosu history ${shorten(id)}\n  nokosu undelete ${shorten(id)}`
  return new MemoryError('MEMORY_NOT_FOUND', `The memory ${id} was deleted.`, { details: { id, hint } })
}

function unknown(kind: 'memory' | 'session', given: string, meant: string | null): MemoryError {
  const found = kind === 'memory' ? "'nokosu list' shows ids" : "'nokosu sessions' shows ids"
  const hint =
    meant === null
      ? `${found}; the first or last ${LEAST_OF_ID} characters of one are enough. Only what your flags may read is found.`
      : `Did you mean ${meant}?`
  return new MemoryError('MEMORY_NOT_FOUND', `There is no ${kind} with the id ${given}.`, {
    details: { id: given, ...(meant === null ? {} : { meant }), hint },
  })
}

function ambiguous(kind: string, given: string, found: { ids: readonly string[]; lines: string[] }): MemoryError {
  const more = found.ids.length > MOST_LISTED ? ['  ...'] : []
  const lines = [...found.lines.slice(0, MOST_LISTED), ...more].join('\n')
  return invalidInput('id', `Several ${kind} begin or end with ${given}:\n${lines}`, {
    candidates: found.ids,
    hint: 'Give more of the id.',
  })
}
