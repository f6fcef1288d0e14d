import type { Admission, Grounds, Weakened } from '../../lifecycle/admission.ts'
import { isConfirmed, voicesOf, withVoice } from '../../lifecycle/belief.ts'
import type { Decision } from '../../lifecycle/decisions.ts'
import type { Memory } from '../../model/memory.ts'
import { countedKey, opposedKey } from '../../model/once-keys.ts'
import type { Core } from '../core.ts'
import { withoutFlags } from '../guard-input.ts'
import { linked, putUp } from '../links.ts'
import { createMemory, speakerOf, type Writer } from './create.ts'
import type { PendingMemories } from './pending.ts'
import type { Clean } from './prepare.ts'
import { opponentOf, type Target } from './target.ts'

interface Speaking {
  core: Core
  target: Target
  now: Date
  /** Whether an operator may be speaking. */
  vouched: boolean
  pending: PendingMemories
  /** Keys of new texts that existed before this batch looked at the store. */
  taken: ReadonlySet<string>
}

/** The effects of an admission on the memories of a batch. */
export class Effects {
  readonly #core: Core
  readonly #target: Target
  readonly #now: Date
  readonly #writer: Writer
  readonly #pending: PendingMemories
  readonly #taken: ReadonlySet<string>
  /** Memories that the agent or the session has contradicted, in this batch or earlier. */
  readonly opposed = new Set<string>()

  constructor({ core, target, now, vouched, pending, taken }: Speaking) {
    this.#core = core
    this.#target = target
    this.#now = now
    this.#writer = { target, vouched, now }
    this.#pending = pending
    this.#taken = taken
  }

  speaksAsOperator(clean: Clean): boolean {
    return speakerOf(clean, this.#writer).trust === 'operator'
  }

  create(clean: Clean, confidence: number): Memory {
    return createMemory(this.#core, clean, this.#writer, confidence)
  }

  apply(
    admission: Exclude<Admission, { kind: 'refuse' | 'duplicate' }>,
    clean: Clean,
    replacedBy: readonly string[],
  ): Memory {
    if (admission.kind === 'reinforce')
      return this.#weaken(admission.weakened, clean, this.#reinforce(admission, clean))
    const { said, fresh, embedding } = clean
    let result = this.create(clean, admission.confidence)
    // The key is taken, yet no neighbour is the same: the memory with these words is gone, and they may return. Or an earlier one of
    // this list reads the same only because of what was redacted in both.
    const isTaken = this.#taken.has(fresh) || this.#pending.taking(fresh) !== undefined
    const once = [...(said === null ? [] : [said]), ...(isTaken ? [] : [fresh])]
    this.#pending.add(result, embedding, once)
    for (const { memory, relation, both } of admission.beside) {
      result = this.#pending.change(result, { links: linked(result, relation, memory.id) })
      if (!both) continue
      this.#pending.change(memory, { links: linked(this.#pending.current(memory), 'confirmedBy', result.id) })
    }
    for (const id of replacedBy) result = this.#pending.change(result, { links: linked(result, 'contradictedBy', id) })
    return admission.kind === 'insert' ? result : this.#weaken(admission.weakened, clean, result)
  }

  /** Only a reinforcement sets `updatedAt`, which restarts the decay clock. */
  #reinforce(admission: Extract<Admission, { kind: 'reinforce' }>, clean: Clean): Memory {
    const { memory, confidence } = admission
    const { said, candidate } = clean
    const { session, identifiers } = this.#target
    const once = session === undefined ? [] : [countedKey(session, memory.id), ...(said === null ? [] : [said])]
    const at = this.#now.toISOString()
    const agent = identifiers.agentId ?? null
    const isOperators = this.speaksAsOperator(clean) && memory.trust !== 'quarantined'
    // An agent that repeats itself does not add weight. Without agent names, sessions are compared.
    const others = voicesOf(memory).some((voice) => agent === null || voice.agent !== agent)
    const heard = isOperators ? memory.metadata : withVoice(memory, agent, at)
    const confirmed = memory.trust === 'flagged' && isConfirmed({ ...memory, metadata: heard })
    const isAnother = session === undefined ? agent !== null : memory.session !== session
    const corroborated = memory.trust === 'agent' && isAnother && others
    const fields = {
      confidence,
      updatedAt: at,
      decayedWeeks: 0,
      metadata: confirmed || isOperators ? withoutFlags(heard) : heard,
      ...(corroborated || confirmed ? { trust: 'corroborated' as const } : {}),
      ...(isOperators ? { trust: 'operator' as const } : {}),
    }
    const kind = admission.declared ? 'confirmed' : 'reinforced'
    const decision = {
      ...decided(kind, admission, memory.confidence, confidence),
      said: candidate.content === memory.content ? null : candidate.content,
    }
    return this.#pending.change(memory, fields, { once, decisions: [decision] })
  }

  /** What these memories lose to one that contradicts them. */
  #weaken(weakened: readonly Weakened[], clean: Clean, by: Memory): Memory {
    let result = by
    for (const each of weakened) {
      const { memory, confidence, active, declared } = each
      const opponent = opponentOf(this.#target)
      const once = opponent === undefined || this.opposed.has(memory.id) ? [] : [opposedKey(opponent, memory.id)]
      if (opponent !== undefined) this.opposed.add(memory.id)
      const [lost, won] = declared ? (['corrected', 'corrects'] as const) : (['contradicted', 'contradicts'] as const)
      const loss = { ...decided(lost, each, memory.confidence, confidence), other: result.id }
      const links = linked(memory, 'contradictedBy', result.id)
      this.#pending.change(memory, { confidence, active, links }, { once, decisions: [loss] })
      const open = memory.trust === 'operator' && !this.speaksAsOperator(clean)
      const tags = open ? putUp(result) : result.tags
      const win = { ...decided(won, each, result.confidence, result.confidence), other: memory.id }
      result = this.#pending.change(
        result,
        { links: linked(result, 'contradicts', memory.id), tags },
        { decisions: [win] },
      )
    }
    return result
  }
}

function decided(kind: Decision['kind'], { reason, score }: Grounds, from: number, to: number): Decision {
  return { kind, other: null, said: null, reason, score, from, to }
}
