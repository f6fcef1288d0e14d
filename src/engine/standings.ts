import { z } from 'zod'
import { decayed, fadesSoon } from '../lifecycle/decay.ts'
import { isRetracted } from '../lifecycle/decisions.ts'
import { idSchema } from '../model/fields.ts'
import type { Identifiers } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { isExpired, isVisible, type Memory, memorySchema } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields } from '../model/schema.ts'
import { readable, readerOf, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { readCorrected } from './corrected.ts'

/** `corrected`: hidden by another memory. `fading`: hidden soon, unless a run confirms or uses it. */
export const MEMORY_STATES = [
  'active',
  'unverified',
  'fading',
  'disputed',
  'corrected',
  'held',
  'inactive',
  'expired',
  'retracted',
] as const
export type MemoryState = (typeof MEMORY_STATES)[number]

export const standingsSchema = z.strictObject({
  /** Default: all memories that contradict another or are contradicted, latest first. */
  ids: z.array(idSchema).max(LIMITS.pageLimit).optional(),
  ...claimFields,
})

const standingSchema = z.strictObject({
  memory: memorySchema,
  state: z.enum(MEMORY_STATES),
  /** The memory shown instead. */
  correctedBy: idSchema.nullable(),
  /** Who says what and since when, if neither side is clearly stronger. */
  disputed: z.string().nullable(),
})
export type MemoryStanding = z.output<typeof standingSchema>
export const standingsResultSchema = z.strictObject({ standings: z.array(standingSchema) })

/** The current standing of memories. Unknown ids are omitted; the rest is in the requested order. */
export async function readStandings(
  core: Core,
  caller: Caller,
  input: z.input<typeof standingsSchema>,
): Promise<z.output<typeof standingsResultSchema>> {
  const { ids, ...claim } = parseInput(standingsSchema, input, 'standings')
  const reader = resolveClaim(caller, claim)
  const now = core.now()
  const found = ids === undefined ? await readContradicted(core, reader) : await readByIds(core, reader, ids)
  const memories = found.map((memory) => decayed(memory, now, core.settings.decay))
  const seen = memories.filter((memory) => isVisible(memory, now))
  const { corrected, disputed } = await readCorrected(core, reader, now, seen)
  const standings = memories.map((memory): MemoryStanding => {
    const correctedBy = corrected.get(memory.id) ?? opponentOf(memory)
    const dispute = disputed.get(memory.id) ?? null
    const state = stateOf(core, memory, now, correctedBy !== null, dispute !== null)
    return { memory, state, correctedBy, disputed: dispute }
  })
  return { standings }
}

async function readByIds(core: Core, reader: Identifiers | null, ids: readonly string[]): Promise<Memory[]> {
  if (ids.length === 0) return []
  const [found, mayRead] = [await core.attempt(() => core.storage.get(ids)), await readerOf(core, reader)]
  const byId = new Map(found.map(({ memory }) => [memory.id, memory]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []).filter(mayRead)
}

async function readContradicted(core: Core, reader: Identifiers | null): Promise<Memory[]> {
  const scopes = reader === null ? null : (await readable(core, reader, undefined)).scopes
  const query = { scopes, where: { contradicted: true }, order: 'updated', after: null } as const
  const more = { limit: LIMITS.pageLimit, count: false, vectors: false }
  return (await core.attempt(() => core.storage.memories({ ...query, ...more }))).items.map(({ memory }) => memory)
}

/** Lost all its confidence to another memory: its links say which. */
function opponentOf({ active, links }: Memory): string | null {
  const last = links.findLast(({ relation }) => relation === 'contradictedBy')
  return active || last === undefined ? null : last.memory
}

function stateOf(core: Core, memory: Memory, now: Date, isCorrected: boolean, isDisputed: boolean): MemoryState {
  if (isRetracted(memory)) return 'retracted'
  if (memory.trust === 'quarantined') return 'held'
  if (isCorrected) return 'corrected'
  if (!memory.active) return 'inactive'
  if (isExpired(memory, now)) return 'expired'
  if (isDisputed) return 'disputed'
  if (memory.trust === 'flagged') return 'unverified'
  return fadesSoon(memory, now, core.settings.decay) ? 'fading' : 'active'
}
