import { z } from 'zod'
import { decayed } from '../lifecycle/decay.ts'
import { MemoryError } from '../model/errors.ts'
import { idSchema } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import { itemsOf } from '../model/page.ts'
import { parseInput } from '../model/parse.ts'
import type { Change } from '../model/records.ts'
import { claimFields } from '../model/schema.ts'
import { canRead, resolveClaim } from './claim.ts'
import { type Caller, type Core, embedMemories } from './core.ts'
import { requireMayChange } from './operator.ts'
import { commitAll, newRow } from './write.ts'

export const restoreSchema = z.strictObject({ id: idSchema, ...claimFields })
export const deletedSchema = z.strictObject({
  ...claimFields,
  limit: z.int().min(1).max(LIMITS.pageLimit).default(LIMITS.listLimit),
})

/** A deleted memory in its last state. */
export interface DeletedMemory {
  memory: Memory
  at: string
  by: string
}

/** Restores a deleted memory from its history, which continues: the same id and words, one version later. */
export async function restore(
  core: Core,
  caller: Caller,
  input: z.input<typeof restoreSchema>,
): Promise<{ memory: Memory }> {
  const { id, ...claim } = parseInput(restoreSchema, input, 'restore')
  const reader = resolveClaim(caller, claim)
  const changes = await historyOf(core, id)
  const last = lastState(changes)
  const end = changes.at(-1)
  if (!last || !(await canRead(core, reader, last))) throw unknown(id)
  const at = core.now()
  const unrecorded = end?.operation === 'delete' ? null : await findUnrecordedEnd(core, last, at)
  requireMayChange(core, caller, last)
  const memory: Memory = {
    ...decayed(last, new Date((unrecorded ?? end!).at), core.settings.decay),
    // A deleted memory does not age, and an expiry that has passed would remove it again.
    decayedWeeks: 0,
    expiresAt: last.expiresAt !== null && last.expiresAt <= at.toISOString() ? null : last.expiresAt,
    updatedAt: at.toISOString(),
    version: (unrecorded ?? end!).version + 1,
  }
  const { embedding } = (await embedMemories(core, [memory]))[0]!
  const recorded = unrecorded === null ? [] : [{ kind: 'change' as const, change: unrecorded }]
  const writes = [...recorded, { kind: 'insert' as const, row: newRow(memory, embedding) }]
  await commitAll(core, { by: caller.by, at, writes })
  return { memory }
}

/** The same for a memory that the caller may not read. */
function unknown(id: string): MemoryError {
  const text = `There is no memory with the id ${id}, and no history of it to bring it back from.`
  return new MemoryError('MEMORY_NOT_FOUND', text, { details: { id } })
}

/** Reports the deletion of a memory that has no deletion in its history: another program removed its item from the store. */
async function findUnrecordedEnd(core: Core, { id, version }: Memory, at: Date): Promise<Change> {
  const [stored] = await core.attempt(() => core.storage.get([id]))
  if (stored) throw new MemoryError('CONFLICT', 'This memory is not deleted.', { details: { id, version } })
  const [operation, by] = ['delete' as const, 'another program']
  return { memory: id, version: version + 1, operation, at: at.toISOString(), by, after: null }
}

/** Deleted memories that can be restored, latest first. Reads the whole store's history. */
export async function listDeleted(
  core: Core,
  caller: Caller,
  input: z.input<typeof deletedSchema>,
): Promise<{ deleted: DeletedMemory[]; totalCount: number }> {
  const { limit, ...claim } = parseInput(deletedSchema, input, 'deleted')
  const reader = resolveClaim(caller, claim)
  const ends = new Map<string, Change>()
  for await (const change of allChanges(core, null)) {
    const known = ends.get(change.memory)
    if (known === undefined || known.version < change.version) ends.set(change.memory, { ...change, after: null })
  }
  const gone = [...ends.values()].filter(({ operation }) => operation === 'delete')
  gone.sort((a, b) => (a.at === b.at ? (a.memory < b.memory ? 1 : -1) : a.at < b.at ? 1 : -1))
  const deleted: DeletedMemory[] = []
  let totalCount = 0
  for (const { memory: id, at, by } of gone) {
    const memory = lastState(await historyOf(core, id))
    if (memory === null || !(await canRead(core, reader, memory))) continue
    totalCount++
    if (deleted.length < limit) deleted.push({ memory, at, by })
  }
  return { deleted, totalCount }
}

export function historyOf(core: Core, id: string): Promise<Change[]> {
  return Array.fromAsync(allChanges(core, id))
}

/** All history entries, or those of one memory, in pages. */
export function allChanges({ storage, attempt }: Core, memory: string | null): AsyncGenerator<Change> {
  return itemsOf((after) => attempt(() => storage.changes({ memory, after, limit: LIMITS.pageLimit })))
}

function lastState(changes: readonly Change[]): Memory | null {
  return changes.findLast(({ after }) => after !== null)?.after ?? null
}
