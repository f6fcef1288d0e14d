import { z } from 'zod'
import { timeSchema } from '../model/fields.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields } from '../model/schema.ts'
import { serviceKey } from '../model/service-name.ts'
import type { Tally } from '../storage/tally.ts'
import { readable, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'

const tallySchema = z.strictObject({
  ...claimFields,
  /** Days from this time on are counted separately. */
  since: timeSchema,
})

/** Counts of what the caller may see. */
export async function tally(core: Core, caller: Caller, input: z.input<typeof tallySchema>): Promise<Tally> {
  const { since, ...claim } = parseInput(tallySchema, input, 'tally')
  const who = resolveClaim(caller, claim)
  const scopes = who === null ? null : (await readable(core, who, undefined)).scopes
  const tally = await core.attempt(() => core.storage.tally({ scopes, visibleAt: core.now().toISOString(), since }))
  return { ...tally, services: mergeSpellings(tally.services) }
}

/** Merges spellings of one service under the most common. */
function mergeSpellings(services: Tally['services']): Tally['services'] {
  return [...Map.groupBy(services, ({ service }) => service && serviceKey(service)).values()]
    .map((same) => ({ service: same[0]!.service, memories: same.reduce((sum, { memories }) => sum + memories, 0) }))
    .sort((a, b) => b.memories - a.memories)
}
