import { z } from 'zod'
import { mergeVoices } from '../lifecycle/belief.ts'
import { CONTRADICTION, reinforce, weaken } from '../lifecycle/confidence.ts'
import { standInsOf } from '../lifecycle/decisions.ts'
import type { DecisionKind, Settlement } from '../model/decision.ts'
import { SETTLEMENTS } from '../model/decision.ts'
import { invalidInput } from '../model/errors.ts'
import { idSchema } from '../model/fields.ts'
import { type Memory, REVIEW_TAG } from '../model/memory.ts'
import { repeatKey } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields, keySchema } from '../model/schema.ts'
import { type Account, commitAccounts, requireAccount } from './account.ts'
import { resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { linked } from './links.ts'
import { requireReviewer } from './operator.ts'

export const settleSchema = z.strictObject({
  /** The first stays, or replaces the second. */
  ids: z.tuple([idSchema, idSchema]),
  as: z.enum(SETTLEMENTS),
  ...claimFields,
  key: keySchema,
})

const MEANS: Record<Settlement, string> = {
  same: 'an operator says that both are the same',
  'both-true': 'an operator says that both are true',
  replaces: 'an operator says that one takes the place of the other',
}

/** An operator states how two memories relate. It is remembered: they and their texts are never compared again. */
export async function settle(
  core: Core,
  caller: Caller,
  input: z.input<typeof settleSchema>,
): Promise<{ memories: Memory[] }> {
  const { ids, as, key, ...claim } = parseInput(settleSchema, input, 'settle')
  const reader = resolveClaim(caller, claim)
  requireReviewer(core, caller, 'settles how memories relate')
  if (ids[0] === ids[1]) {
    throw invalidInput('ids', 'Invalid ids: give two different memories.')
  }
  const own = repeatKey(key, 'settle', caller.identifiers, ids, as)
  const { result } = await commitAccounts(core, { by: caller.by, key: own }, async (at) => {
    const [first, second] = [await requireAccount(core, reader, ids[0]), await requireAccount(core, reader, ids[1])]
    if (as !== 'both-true') await requireShown(core, first.memory, ids[1])
    const before = [first.memory, second.memory]
    restore(first, second.memory.id)
    restore(second, first.memory.id)
    apply(as, first, second, at)
    first.settle({ memory: ids[1], content: second.memory.content }, as)
    second.settle({ memory: ids[0], content: first.memory.content }, as === 'replaces' ? 'replaced' : as)
    for (const [i, account] of [first, second].entries()) {
      const { tags, confidence } = account.memory
      account.memory = { ...account.memory, tags: tags.filter((tag) => tag !== REVIEW_TAG) }
      const other = ids[1 - i]!
      account.note({ kind: 'settled', other, reason: MEANS[as], from: before[i]!.confidence, to: confidence, as })
    }
    return { accounts: [first, second], result: [first, second] }
  })
  return { memories: result.map(({ changed }) => changed) }
}

/** A memory that stands for or replaces another one cannot itself be hidden by a third. */
async function requireShown({ storage, attempt }: Core, memory: Memory, beside: string): Promise<void> {
  const others = standInsOf(memory).filter((id) => id !== beside)
  const found = others.length === 0 ? [] : await attempt(() => storage.get(others))
  const shown = found.find(({ memory: other }) => other.active)
  if (shown === undefined) return
  const { id } = shown.memory
  throw invalidInput('ids', 'Another memory already replaces the first one.', {
    id,
    hint: `Settle the second one with that memory, or settle that memory with the first: nokosu get ${id}`,
  })
}

const PAIRED: ReadonlySet<DecisionKind> = new Set(['contradicted', 'corrected', 'contradicts', 'corrects', 'settled'])

/** Undoes everything decided between the two, including earlier settlements. */
function restore(account: Account, other: string): void {
  const open = account.standing.filter((decision) => decision.other === other && PAIRED.has(decision.kind))
  for (const decision of open.toReversed()) account.takeBack(decision)
  const { links, confidence } = account.memory
  const known = links.find((link) => link.memory === other)?.relation
  // Stores from before decisions were recorded only have a link for a contradiction.
  const isOld = open.length === 0 && known === 'contradictedBy'
  const lost = isOld ? CONTRADICTION : 0
  const bare = { kind: 'contradicted' as const, other, said: null, reason: '', score: null, version: 0 }
  if (known !== undefined) account.takeBack({ ...bare, from: confidence + lost, to: confidence })
}

function apply(as: Settlement, first: Account, second: Account, at: Date): void {
  const [one, two] = [first.memory, second.memory]
  if (as === 'same') {
    const [confidence, metadata] = [reinforce(one.confidence), mergeVoices(one, two)]
    first.memory = { ...one, confidence, metadata, active: true, updatedAt: at.toISOString(), decayedWeeks: 0 }
    second.memory = { ...two, active: false }
  } else if (as === 'replaces') {
    first.memory = { ...one, links: linked(one, 'contradicts', two.id) }
    // It stays a neighbour, so that later repeats of it are replaced too.
    const standing = weaken(two.confidence, { stays: true })
    second.memory = { ...two, ...standing, links: linked(two, 'contradictedBy', one.id) }
  }
}
