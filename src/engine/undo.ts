import { z } from 'zod'
import type { Decision } from '../lifecycle/decisions.ts'
import type { DecisionKind, Undone } from '../model/decision.ts'
import { invalidInput, type MemoryError } from '../model/errors.ts'
import { idSchema } from '../model/fields.ts'
import { repeatKey } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields, keySchema } from '../model/schema.ts'
import { type Account, commitAccounts, openAccount, requireAccount } from './account.ts'
import { resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { describeDecisions } from './decisions.ts'
import { requireReviewer } from './operator.ts'
import { undoRetraction } from './retract.ts'

export const undoSchema = z.strictObject({ id: idSchema, ...claimFields, key: keySchema })

/** How the other memory of a pair stores the same decision. */
const MIRRORED: Partial<Record<DecisionKind, DecisionKind>> = {
  contradicted: 'contradicts',
  corrected: 'corrects',
  contradicts: 'contradicted',
  corrects: 'corrected',
  settled: 'settled',
}

/**
 * Undoes the last decision about a memory that still applies, on both sides if it is about two. A wrong decision is not repeated:
 * a pair that was not a contradiction stays apart, and a text that was not a repeat becomes its own memory.
 */
export async function undo(core: Core, caller: Caller, input: z.input<typeof undoSchema>): Promise<Undone> {
  const { id, key, ...claim } = parseInput(undoSchema, input, 'undo')
  const reader = resolveClaim(caller, claim)
  requireReviewer(core, caller, 'undoes decisions')
  const own = repeatKey(key, 'undo', caller.identifiers, id)
  const { result, repeated } = await commitAccounts(core, { by: caller.by, key: own }, async () => {
    const account = await requireAccount(core, reader, id)
    const last = account.standing.at(-1)
    if (last === undefined) throw nothingDecided(id)
    const decisions = account.standing.filter(({ version }) => version === last.version).reverse()
    const others: Account[] = []
    for (const decision of decisions) {
      if (decision.kind === 'retracted') {
        others.push(...(await undoRetraction(core, account, 'retracted was undone')))
        continue
      }
      const other = decision.other === null ? null : await openAccount(core, decision.other)
      undoPair(account, decision, other)
      if (other !== null && MIRRORED[decision.kind] !== undefined) others.push(other)
    }
    return { accounts: [account, ...others], result: { account, others, decisions } }
  })
  const { account, others, decisions } = result
  const undone = await describeDecisions(core, reader, account.memory, decisions)
  if (repeated) return { memory: (await requireAccount(core, reader, id)).memory, others: [], undone: [] }
  return { memory: account.changed, others: others.map(({ changed }) => changed), undone }
}

function undoPair(account: Account, decision: Decision & { version: number }, other: Account | null): void {
  const reason = `${decision.kind} was undone`
  const { id, content } = account.memory
  account.undo(decision, reason)
  if (decision.said !== null) account.settle({ memory: null, content: decision.said }, 'both-true')
  const mirrored = MIRRORED[decision.kind]
  if (mirrored === undefined || other === null) return
  const same = other.standing.findLast(({ kind, other: of }) => kind === mirrored && of === id)
  if (same !== undefined) other.undo(same, reason)
  if (decision.kind === 'settled') return
  account.settle({ memory: other.memory.id, content: other.memory.content }, 'both-true')
  other.settle({ memory: id, content }, 'both-true')
}

function nothingDecided(id: string): MemoryError {
  return invalidInput('id', 'There is no decision about this memory to undo.', {
    id,
    hint: `See what happened to it: nokosu history ${id}`,
  })
}
