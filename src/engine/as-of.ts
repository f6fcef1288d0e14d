import { z } from 'zod'
import { decayed } from '../lifecycle/decay.ts'
import { exactTimeSchema, idSchema, timeSchema } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import { memorySchema } from '../model/memory.ts'
import { itemsOf } from '../model/page.ts'
import { parseInput } from '../model/parse.ts'
import type { Change } from '../model/records.ts'
import { claimFields } from '../model/schema.ts'
import { readerOf, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'

const pointSchema = z.strictObject({ id: idSchema, at: timeSchema })
export const asOfSchema = z.strictObject({ points: z.array(pointSchema).max(LIMITS.pageLimit), ...claimFields })

const metSchema = pointSchema.extend({
  at: exactTimeSchema,
  /** Its state at that time; null if nothing is known. */
  was: memorySchema.nullable(),
  /** Its current state; null if it was deleted. */
  is: memorySchema.nullable(),
})
/** A memory at a given time, and now. */
export type Met = z.output<typeof metSchema>
export const asOfResultSchema = z.strictObject({ met: z.array(metSchema) })

/** Memories at given times, in the requested order. Both states are null if the caller may not read it. */
export async function readAsOf(
  core: Core,
  caller: Caller,
  input: z.input<typeof asOfSchema>,
): Promise<z.output<typeof asOfResultSchema>> {
  const { points, ...claim } = parseInput(asOfSchema, input, 'asOf')
  const mayRead = await readerOf(core, resolveClaim(caller, claim))
  const ids = [...new Set(points.map(({ id }) => id))]
  if (ids.length === 0) return { met: [] }
  const { storage, attempt, settings } = core
  const [found, changes] = await Promise.all([
    attempt(() => storage.get(ids)),
    Array.fromAsync(
      itemsOf((after) => attempt(() => storage.changes({ memory: ids, after, limit: LIMITS.pageLimit }))),
    ),
  ])
  const now = core.now()
  const current = new Map(found.map(({ memory }) => [memory.id, memory]))
  const histories = Map.groupBy(changes, ({ memory }) => memory)
  const met = points.map(({ id, at }): Met => {
    const is = current.get(id) ?? null
    const was = stateAt(histories.get(id) ?? [], at)
    const known = is ?? was
    if (known === null || !mayRead(known)) return { id, at, was: null, is: null }
    const aged = (memory: typeof is, time: Date) => memory && decayed(memory, time, settings.decay)
    return { id, at, was: aged(was, new Date(at)), is: aged(is, now) }
  })
  return { met }
}

/** An imported memory is older than its history. */
function stateAt(history: readonly Change[], at: string): Change['after'] {
  const states = history.filter(({ after }) => after !== null).toSorted((a, b) => a.version - b.version)
  return (states.findLast((change) => change.at <= at) ?? states[0])?.after ?? null
}
