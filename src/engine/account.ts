import {
  allDecisions,
  type Decision,
  digestOf,
  standingDecisions,
  withDecisions,
  without,
  withSettled,
} from '../lifecycle/decisions.ts'
import type { SettledAs } from '../model/decision.ts'
import { MemoryError } from '../model/errors.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { Change } from '../model/records.ts'
import { canRead } from './claim.ts'
import type { Core } from './core.ts'
import { historyOf } from './restore.ts'
import { changedRow, commitOnce, notFound } from './write.ts'

/** A memory with all its decisions, while decisions are undone or added. */
export class Account {
  memory: Memory
  readonly #changes: readonly Change[]
  readonly #before: Memory
  readonly #made: Decision[] = []

  constructor(memory: Memory, changes: readonly Change[]) {
    this.memory = memory
    this.#before = memory
    this.#changes = changes
  }

  get standing(): (Decision & { version: number })[] {
    return standingDecisions(this.#changes)
  }

  /** The latest entry that returned what the other memory had taken, for this reason. */
  restored(other: string, reason: string): (Decision & { version: number })[] {
    const given = allDecisions(this.#changes).filter(
      (each) => each.kind === 'undone' && each.other === other && each.reason === reason,
    )
    return given.filter(({ version }) => version === given.at(-1)!.version).toReversed()
  }

  takeBack(decision: Decision & { version: number }): void {
    const after = this.#stateAt(decision.version) ?? this.memory
    this.memory = without(this.memory, decision, this.#stateAt(decision.version - 1), after)
  }

  undo(decision: Decision & { version: number }, reason: string): void {
    const from = this.memory.confidence
    this.takeBack(decision)
    const { other, version } = decision
    this.note({ kind: 'undone', other, reason, from, to: this.memory.confidence, undoes: version })
  }

  note(decision: Omit<Decision, 'said' | 'score'>): void {
    this.#made.push({ ...decision, said: null, score: null })
  }

  settle(other: { memory: string | null; content: string }, as: SettledAs): void {
    const settled = { memory: other.memory, words: digestOf(other.content), as }
    this.memory = { ...this.memory, metadata: withSettled(this.memory, settled) }
  }

  get changed(): Memory {
    const version = this.#before.version + 1
    const metadata = withDecisions(this.memory, version, this.#made)
    return { ...this.memory, metadata, version }
  }

  #stateAt(version: number): Memory | null {
    return this.#changes.find((change) => change.version === version)?.after ?? null
  }
}

/** null: deleted. */
export async function openAccount(core: Core, id: string): Promise<Account | null> {
  const [changes, found] = [await historyOf(core, id), await core.attempt(() => core.storage.get([id]))]
  const memory = found[0]?.memory
  return memory === undefined ? null : new Account(memory, changes)
}

export async function requireAccount(core: Core, reader: Identifiers | null, id: string): Promise<Account> {
  const account = await openAccount(core, id)
  if (account === null || !(await canRead(core, reader, account.memory))) throw notFound(id)
  return account
}

const MOST_RACES = 20

/** Stores the decisions. On a conflict, decides again from the current state. False: an earlier call with this key did it. */
export async function commitAccounts<Result>(
  core: Core,
  { by, key }: { by: string; key: string | undefined },
  decide: (at: Date) => Promise<{ accounts: readonly Account[]; result: Result }>,
): Promise<{ result: Result; repeated: boolean }> {
  for (let tries = 0; tries < MOST_RACES; tries++) {
    const at = core.now()
    const { accounts, result } = await decide(at)
    const writes = accounts.map(({ changed }) => ({ kind: 'update' as const, row: changedRow(changed) }))
    const stored = await commitOnce(core, { ...(key === undefined ? {} : { key }), by, at, writes })
    if (stored.applied) return { result, repeated: stored.repeated }
  }
  throw new MemoryError('CONFLICT', 'Others kept changing these memories. Try again.', { details: {} })
}
