import { FLAGGED_CONFIDENCE } from '../../guard/guard.ts'
import type { Admission } from '../../lifecycle/admission.ts'
import { admit } from '../../lifecycle/admit.ts'
import { pairsToAsk } from '../../lifecycle/compare.ts'
import { replacing } from '../../lifecycle/decisions.ts'
import { floorFor, prepareRelater, type Relater } from '../../lifecycle/relate/relate.ts'
import { mapBreathing } from '../../model/breathe.ts'
import type { Candidate } from '../../model/candidate.ts'
import type { Memory } from '../../model/memory.ts'
import { sessionActor } from '../../model/once-keys.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Write } from '../../storage/commit.ts'
import type { Caller, Core } from '../core.ts'
import { isOperator, seesHeld } from '../operator.ts'
import { beginning } from '../sessions.ts'
import { isWithin } from '../within.ts'
import { commitOnce, partition } from '../write.ts'
import { Effects } from './effects.ts'
import { isConfirming, lookUp, type Material } from './look-up.ts'
import { namedBy, nearest, neighboursOf, sameScope } from './neighbours.ts'
import { type Decided, fromNote, toNote } from './note.ts'
import { PendingMemories } from './pending.ts'
import type { Clean, Prepared } from './prepare.ts'
import { heldAgain, heldNow, refusal, reportOf } from './report.ts'
import type { Target } from './target.ts'

/** Instead of outcomes: the batch was too large for one commit, and is decided in halves. */
export const HALVED = 'halved'

/** The decisions on one batch. Each sees what earlier ones would change. */
export class Batch {
  readonly #core: Core
  readonly #target: Target
  readonly #now: Date
  readonly #seesHeld: boolean
  readonly #mayChange: (memory: Memory) => boolean
  readonly #pending = new PendingMemories()
  readonly #effects: Effects
  readonly #marks: Write[] = []
  /** A person's list items, which do not correct each other. */
  readonly #list: Set<string>

  /** `taken`: keys of new texts that existed before this batch looked at the store. */
  constructor(core: Core, caller: Caller, target: Target, taken: ReadonlySet<string>) {
    const { within } = caller
    this.#core = core
    this.#seesHeld = seesHeld(core, caller)
    this.#mayChange = within === undefined ? () => true : (memory) => isWithin(within, memory)
    this.#target = target
    this.#list = target.list ?? new Set()
    this.#now = core.now()
    const vouched = isOperator(core, caller)
    this.#effects = new Effects({ core, target, now: this.#now, vouched, pending: this.#pending, taken })
  }

  async decide(prepared: readonly Prepared[]): Promise<Outcome[]> {
    const clean = prepared.flatMap((each) => ('clean' in each ? each.clean : []))
    const { source, session } = this.#target
    if (source === 'manual' && session !== undefined)
      for (const { candidate } of clean) this.#list.add(candidate.content)
    const view = { core: this.#core, target: this.#target, now: this.#now, mayChange: this.#mayChange }
    const material = await lookUp(view, clean)
    for (const id of material.opposed) this.#effects.opposed.add(id)
    const relater = await this.#prepareRelater(clean, material)
    return mapBreathing(prepared, (each) =>
      'clean' in each ? this.#decideOne(each.clean, material, relater) : refusal(each.given, each.refused),
    )
  }

  /** The batch's writes, in parts that the store accepts: one, unless a single decision is too large for it. */
  parts(also: readonly Write[]): Write[][] {
    const { session, identifiers, tier } = this.#target
    const begins = session === undefined ? [] : [beginning(session, identifiers, this.#now, { tier: tier ?? null })]
    const writes = [...this.#pending.writes(), ...this.#marks]
    return partition(this.#core, writes.length + also.length > 0 ? [...begins, ...also, ...writes] : [])
  }

  /**
   * The outcomes as stored; null after a conflict, and then nothing of that part is stored. `HALVED` instead
   * of outcomes records under the key that the batch is decided in halves, which have their own keys: when repeated, it may come to less.
   */
  async commit(
    caller: Caller,
    parts: readonly Write[][],
    decided: Decided[] | typeof HALVED,
    prepared: readonly Prepared[],
  ): Promise<Decided[] | typeof HALVED | null> {
    const { session, key } = this.#target
    const by = session === undefined ? caller.by : sessionActor(session, caller.named ? caller.by : null)
    const of = prepared.map(({ given }) => given)
    const note = decided === HALVED ? HALVED : toNote(decided)
    let told = decided
    // With a key, even an empty result is stored: repeating the call gives the same answer.
    const all = parts.length === 0 && key !== undefined ? [[]] : parts
    for (const [i, writes] of all.entries()) {
      const own = key === undefined ? {} : { key: `${key}/${i}`, ...(i === 0 ? { note } : {}) }
      const result = await commitOnce(this.#core, { ...own, of, by, at: this.#now, writes })
      if (!result.applied) return null
      // An earlier call with this key has decided; its decision is the answer.
      if (result.repeated && result.note !== null)
        told = result.note === HALVED ? HALVED : await fromNote(this.#core, result.note)
    }
    return told
  }

  /** After a conflict: which keys of new memories are taken, for the batch that decides again. */
  async taken(): Promise<ReadonlySet<string>> {
    const keys = this.#pending.all().flatMap(({ fresh, once }) => (fresh ? once : []))
    return keys.length === 0 ? new Set() : this.#core.attempt(() => this.#core.storage.known(keys))
  }

  /** Asks the relation model about everything the decisions may compare, at once. */
  async #prepareRelater(clean: readonly Clean[], { neighbours }: Material): Promise<Relater> {
    const { model, relations } = this.#core
    const all = clean.filter(({ held }) => held === null)
    const pairs = await mapBreathing(all, (each, i) => {
      // An earlier candidate of this batch is a neighbour of this one.
      const peers = all
        .slice(0, i)
        .filter(({ scope, candidate }) => sameScope(scope, each.scope) && this.#mayConcern(each.candidate, candidate))
        .map(({ candidate, embedding }) => ({ memory: candidate, vector: embedding.vector }))
      const stored = [...(neighbours.get(each)?.values() ?? [])]
      const known = [
        ...stored.filter(({ memory }) => this.#mayConcern(each.candidate, memory)),
        ...nearest(peers, each),
      ]
      const quotedVector = each.quoted?.vector ?? null
      return pairsToAsk(each.candidate, known, { vector: each.embedding.vector, quotedVector })
    })
    return prepareRelater(pairs.flat(), { model: relations, floor: floorFor(model.name) })
  }

  /** Items of one list never correct each other, however similar they are. */
  #mayConcern(candidate: Candidate, { content }: Pick<Memory, 'content'>): boolean {
    return content === candidate.content || !this.#list.has(content)
  }

  #decideOne(clean: Clean, material: Material, relater: Relater): Outcome {
    const { candidate, flags, said, embedding, quoted } = clean
    const report = reportOf(clean)
    if (clean.held !== null) {
      // A confirmation has no words of its own that could be held.
      if (isConfirming(candidate)) return { kind: 'refuse', ...report, reason: 'it reads like an order' }
      return this.#hold(clean, clean.held, material)
    }
    const past = material.pastReviews.get(clean)
    if (past?.review === 'rejected') return heldAgain(clean, past, this.#seesHeld)
    const before = said === null ? undefined : this.#pending.taking(said)
    if (before) return { kind: 'duplicate', ...report, memory: before, reason: 'already said by this session' }
    if (said !== null && material.known.has(said)) {
      const same = [...(material.neighbours.get(clean)?.values() ?? [])].find(
        ({ memory }) => memory.content === candidate.content,
      )
      const reason = same ? 'the same words, said by the same session' : 'this session said it before'
      return { kind: 'duplicate', ...report, memory: same?.memory ?? null, reason }
    }
    const vouched = this.#effects.speaksAsOperator(clean)
    if (material.retracted.has(clean) && !vouched)
      return { kind: 'refuse', ...report, reason: 'an operator has retracted it: it is wrong' }
    const { session } = this.#target
    const beheld = { material, pending: this.#pending, opposed: this.#effects.opposed, session, now: this.#now }
    const found = neighboursOf(clean, beheld).filter(({ memory }) => this.#mayConcern(candidate, memory))
    const fresh = found.filter(({ together }) => together)
    const near = new Set(nearest(fresh, clean))
    const neighbours = found.filter((each) => !each.together || near.has(each))
    const admission = admit(candidate, neighbours, relater, {
      now: this.#now,
      session: session ?? null,
      vector: embedding.vector,
      ...(quoted ? { quotedVector: quoted.vector } : {}),
      named: namedBy(candidate, beheld),
      vouched,
      ...(flags.length > 0 ? { confidence: FLAGGED_CONFIDENCE } : {}),
      ...(candidate.confidence === undefined ? {} : { confidence: candidate.confidence }),
    })
    const settled = flags.length > 0 ? withoutEffect(admission, candidate) : admission
    const known = neighbours.map(({ memory }) => memory)
    const beside = settled.kind === 'insert' || settled.kind === 'contradict' ? settled.beside : []
    const alike = beside.flatMap(({ relation, memory }) => (relation === 'confirms' ? memory.content : []))
    const replacedBy = [candidate.content, ...alike].flatMap((content) => replacing(content, known))
    return this.#settle(settled, clean, [...new Set(replacedBy)])
  }

  /** Applies a decision. */
  #settle(admission: Admission, clean: Clean, replacedBy: readonly string[]): Outcome {
    const { said } = clean
    const report = reportOf(clean)
    const { reason } = admission
    if (admission.kind === 'refuse') return { kind: 'refuse', ...report, reason }
    if (admission.kind === 'duplicate') {
      // A later repetition must be recognized, whatever has become of the memory.
      if (said !== null) this.#marks.push({ kind: 'mark', memory: admission.of.id, once: [said] })
      return { kind: 'duplicate', ...report, memory: admission.of, reason }
    }
    const memory = this.#effects.apply(admission, clean, replacedBy)
    if (admission.kind === 'insert') return { kind: 'insert', ...report, memory, reason }
    const weakened = admission.weakened.map(({ memory: { id, content }, confidence, active }) => ({
      id,
      content,
      confidence,
      active,
    }))
    return { kind: admission.kind, ...report, memory, weakened, reason }
  }

  /** Stores a held text for review without changing other memories. */
  #hold(clean: Clean, held: string, material: Material): Outcome {
    const { said, embedding } = clean
    const before = this.#pending.taking(held)
    const past = before ? ({ review: 'held', memory: before } as const) : material.pastReviews.get(clean)
    if (past) return heldAgain(clean, past, this.#seesHeld)
    const memory = this.#effects.create(clean, FLAGGED_CONFIDENCE)
    this.#pending.add(memory, embedding, [held, ...(said === null ? [] : [said])])
    return heldNow(clean, memory)
  }
}

/** A marked note changes no other memory: it only reinforces marked memories, or those with exactly its words. */
function withoutEffect(admission: Admission, { content }: Candidate): Admission {
  if (admission.kind === 'contradict') {
    const { confidence } = admission
    return {
      kind: 'insert',
      confidence,
      beside: [],
      reason: 'it contradicts what is known, and is unverified: nothing was changed',
    }
  }
  if (admission.kind === 'insert') return { ...admission, beside: [] }
  if (admission.kind !== 'reinforce') return admission
  const { memory } = admission
  if (memory.trust === 'flagged' || memory.content === content) return { ...admission, weakened: [] }
  return { kind: 'duplicate', of: memory, reason: 'a similar memory is known, and this one is unverified' }
}
