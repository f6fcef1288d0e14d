import { z } from 'zod'
import { timeSchema } from '../model/fields.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields } from '../model/schema.ts'
import type { Tally } from '../storage/tally.ts'
import { readable, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'

const tallySchema = z.strictObject({
  ...claimFields,
  /** Days from this instant on are counted each for itself. */
  since: timeSchema,
})

/** What the caller may see, in figures. */
export async function tally(core: Core, caller: Caller, input: z.input<typeof tallySchema>): Promise<Tally> {
  const { since, ...claim } = parseInput(tallySchema, input, 'tally')
  const who = resolveClaim(caller, claim)
  const scopes = who === null ? null : (await readable(core, who, undefined)).scopes
  return core.attempt(() => core.storage.tally({ scopes, visibleAt: core.now().toISOString(), since }))
}
