import { FLAGGED_CONFIDENCE } from '../../guard/guard.ts'
import { type Admission, admit, type Grounds, type Neighbour, pairsToAsk } from '../../lifecycle/admit.ts'
import { isConfirmed, voicesOf, withVoice } from '../../lifecycle/belief.ts'
import { type Decision, replacing, withDecisions } from '../../lifecycle/decisions.ts'
import { floorFor, prepareRelater, type Relater } from '../../lifecycle/relate/relate.ts'
import { mapBreathing } from '../../model/breathe.ts'
import type { Candidate } from '../../model/candidate.ts'
import { type Scope, scopeOf } from '../../model/layer.ts'
import { isVisible, type Memory } from '../../model/memory.ts'
import { countedKey, opposedKey, sessionActor } from '../../model/once-keys.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Embedding, Write } from '../../storage/commit.ts'
import type { Caller, Core } from '../core.ts'
import { withoutFlags } from '../guard-input.ts'
import { linked, putUp } from '../links.ts'
import { isOperator, seesHeld } from '../operator.ts'
import { beginning } from '../sessions.ts'
import { isWithin } from '../within.ts'
import { changedRow, commitOnce, newRow, partition } from '../write.ts'
import { createMemory, speakerOf, type Writer } from './create.ts'
import { isConfirming, lookUp, type Material } from './look-up.ts'
import { type Decided, fromNote, toNote } from './note.ts'
import type { Clean, Prepared } from './prepare.ts'
import { heldAgain, heldNow, refusal, reportOf } from './report.ts'
import { opponentOf, type Target } from './target.ts'

/** In place of outcomes: the batch was too much for one commit, and is decided in halves. */
export const HALVED = 'halved'

interface Pending {
  memory: Memory
  /** Not stored yet. */
  fresh: boolean
  vector: Float32Array | null
  embedding: Embedding | null
  once: string[]
}

/** The decisions on one batch. Each sees what those before it would change. */
export class Batch {
  readonly #core: Core
  readonly #target: Target
  readonly #now: Date
  /** Whether an operator may be speaking. */
  readonly #vouched: boolean
  readonly #seesHeld: boolean
  readonly #mayChange: (memory: Memory) => boolean
  /** Keys of new words that were taken before this batch looked at the store. */
  readonly #taken: ReadonlySet<string>
  /** Memories of this batch, new or changed, by id; what is stored about them is out of date. */
  readonly #pending = new Map<string, Pending>()
  readonly #marks: Write[] = []
  /** Memories that the agent or the session has contradicted, in this batch or before. */
  #opposed = new Set<string>()
  /** What the items of a list say, that a person hands over as one. */
  #list: ReadonlySet<string> = new Set()

  constructor(core: Core, caller: Caller, target: Target, taken: ReadonlySet<string>) {
    const { within } = caller
    this.#core = core
    this.#vouched = isOperator(core, caller)
    this.#seesHeld = seesHeld(core, caller)
    this.#mayChange = within === undefined ? () => true : (memory) => isWithin(within, memory)
    this.#target = target
    this.#taken = taken
    this.#now = core.now()
  }

  async decide(prepared: readonly Prepared[]): Promise<Outcome[]> {
    const clean = prepared.flatMap((each) => ('clean' in each ? each.clean : []))
    const { source, session } = this.#target
    if (source === 'manual' && session !== undefined)
      this.#list = new Set(clean.map(({ candidate }) => candidate.content))
    const view = { core: this.#core, target: this.#target, now: this.#now, mayChange: this.#mayChange }
    const material = await lookUp(view, clean)
    this.#opposed = new Set(material.opposed)
    const relater = await this.#prepareRelater(clean, material)
    return mapBreathing(prepared, (each) =>
      'clean' in each ? this.#decideOne(each.clean, material, relater) : refusal(each.given, each.refused),
    )
  }

  /** The writes of this batch, in parts that the store takes: one, unless a single decision is too much for it. */
  parts(also: readonly Write[]): Write[][] {
    const { session, identifiers, tier } = this.#target
    const begins = session === undefined ? [] : [beginning(session, identifiers, this.#now, { tier: tier ?? null })]
    const changes = [...this.#pending.values()]
    // New memories first: where the store takes few writes at once, nothing is weakened by what is not there yet.
    const writes: Write[] = [
      ...changes.filter(({ fresh }) => fresh).map(insertion),
      ...changes.filter(({ fresh }) => !fresh).map(alteration),
      ...this.#marks,
    ]
    return partition(this.#core, writes.length + also.length > 0 ? [...begins, ...also, ...writes] : [])
  }

  /**
   * What became of the candidates, as stored; null when something stood in the way, and nothing of that part is stored. `HALVED` in place
   * of outcomes keeps under the key that the batch is decided in halves, which have keys of their own: repeated, it may come to less.
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
    // With a key even nothing is kept: repeated, it has the same answer.
    const all = parts.length === 0 && key !== undefined ? [[]] : parts
    for (const [i, writes] of all.entries()) {
      const own = key === undefined ? {} : { key: `${key}/${i}`, ...(i === 0 ? { note } : {}) }
      const result = await commitOnce(this.#core, { ...own, of, by, at: this.#now, writes })
      if (!result.applied) return null
      // An earlier call with this key has decided: what it decided is the answer.
      if (result.repeated && result.note !== null)
        told = result.note === HALVED ? HALVED : await fromNote(this.#core, result.note)
    }
    return told
  }

  /** After a commit that met something in its way: which keys of new memories are taken, for the batch that decides anew. */
  async taken(): Promise<ReadonlySet<string>> {
    const keys = [...this.#pending.values()].flatMap(({ fresh, once }) => (fresh ? once : []))
    return keys.length === 0 ? new Set() : this.#core.attempt(() => this.#core.storage.known(keys))
  }

  /** Asks the relation model about everything that the decisions may compare, in one go. */
  async #prepareRelater(clean: readonly Clean[], { neighbours }: Material): Promise<Relater> {
    const { model, relations } = this.#core
    const all = clean.filter(({ held }) => held === null)
    const pairs = await mapBreathing(all, (each, i) => {
      // What an earlier candidate of this batch says is a neighbour of this one.
      const peers = all
        .slice(0, i)
        .filter(({ scope }) => sameScope(scope, each.scope))
        .map(({ candidate, embedding }) => ({ memory: candidate, vector: embedding.vector }))
      const known = [...(neighbours.get(each)?.values() ?? []), ...peers]
      const quotedVector = each.quoted?.vector ?? null
      return pairsToAsk(each.candidate, known, { vector: each.embedding.vector, quotedVector })
    })
    return prepareRelater(pairs.flat(), { model: relations, floor: floorFor(model.name) })
  }

  #decideOne(clean: Clean, material: Material, relater: Relater): Outcome {
    const { candidate, flags, said, embedding, quoted } = clean
    const report = reportOf(clean)
    if (clean.held !== null) {
      // A confirmation has no words of its own that could be held.
      if (isConfirming(candidate)) return { kind: 'refuse', ...report, reason: 'it reads as an order' }
      return this.#hold(clean, clean.held, material)
    }
    const past = material.pastReviews.get(clean)
    if (past?.review === 'rejected') return heldAgain(clean, past, this.#seesHeld)
    const before = said === null ? undefined : [...this.#pending.values()].find(({ once }) => once.includes(said))
    if (before) return { kind: 'duplicate', ...report, memory: before.memory, reason: 'said by this session already' }
    if (said !== null && material.known.has(said)) {
      const same = [...(material.neighbours.get(clean)?.values() ?? [])].find(
        ({ memory }) => memory.content === candidate.content,
      )
      const reason = same ? 'the same words, said by this session itself' : 'this session has said it before'
      return { kind: 'duplicate', ...report, memory: same?.memory ?? null, reason }
    }
    const vouched = speakerOf(clean, this.#writer).trust === 'operator'
    if (material.retracted.has(clean) && !vouched)
      return { kind: 'refuse', ...report, reason: 'an operator has retracted it: it is wrong' }
    const neighbours = this.#neighbours(clean, material)
    const admission = admit(candidate, neighbours, relater, {
      now: this.#now,
      session: this.#target.session ?? null,
      vector: embedding.vector,
      ...(quoted ? { quotedVector: quoted.vector } : {}),
      named: this.#named(candidate, material),
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

  /** What is decided, done. */
  #settle(admission: Admission, clean: Clean, replacedBy: readonly string[]): Outcome {
    const { said } = clean
    const report = reportOf(clean)
    const { reason } = admission
    if (admission.kind === 'refuse') return { kind: 'refuse', ...report, reason }
    if (admission.kind === 'duplicate') {
      // Said again later, it must find out that it was said, whatever has become of the memory.
      if (said !== null) this.#marks.push({ kind: 'mark', memory: admission.of.id, once: [said] })
      return { kind: 'duplicate', ...report, memory: admission.of, reason }
    }
    const memory = this.#apply(admission, clean, replacedBy)
    if (admission.kind === 'insert') return { kind: 'insert', ...report, memory, reason }
    const weakened = admission.weakened.map(({ memory: { id, content }, confidence, active }) => ({
      id,
      content,
      confidence,
      active,
    }))
    return { kind: admission.kind, ...report, memory, weakened, reason }
  }

  /** Keeps for an operator what no agent may see, and lets it change nothing else. */
  #hold(clean: Clean, held: string, material: Material): Outcome {
    const { said, embedding } = clean
    const before = [...this.#pending.values()].find(({ once }) => once.includes(held))
    const past = before ? ({ review: 'held', memory: before.memory } as const) : material.pastReviews.get(clean)
    if (past) return heldAgain(clean, past, this.#seesHeld)
    const memory = this.#create(clean, FLAGGED_CONFIDENCE)
    const once = [held, ...(said === null ? [] : [said])]
    this.#pending.set(memory.id, { memory, fresh: true, vector: embedding.vector, embedding, once })
    return heldNow(clean, memory)
  }

  #apply(
    admission: Exclude<Admission, { kind: 'refuse' | 'duplicate' }>,
    clean: Clean,
    replacedBy: readonly string[],
  ): Memory {
    const { said, fresh } = clean
    const { session } = this.#target
    let result: Memory
    if (admission.kind === 'reinforce') {
      const { memory, confidence } = admission
      const once = session === undefined ? [] : [countedKey(session, memory.id), ...(said === null ? [] : [said])]
      const at = this.#now.toISOString()
      const speaker = speakerOf(clean, this.#writer)
      const agent = this.#target.identifiers.agentId ?? null
      const isOperators = speaker.trust === 'operator' && memory.trust !== 'quarantined'
      // An agent that repeats itself adds nothing to its word; of those without a name only the session is known.
      const others = voicesOf(memory).some((voice) => agent === null || voice.agent !== agent)
      const heard = isOperators ? memory.metadata : withVoice(memory, agent, at)
      const confirmed = memory.trust === 'flagged' && isConfirmed({ ...memory, metadata: heard })
      const isAnother = session === undefined ? agent !== null : memory.session !== session
      const corroborated = memory.trust === 'agent' && isAnother && others
      result = this.#change(
        memory,
        {
          confidence,
          updatedAt: at,
          decayedWeeks: 0,
          metadata: confirmed || isOperators ? withoutFlags(heard) : heard,
          ...(corroborated || confirmed ? { trust: 'corroborated' as const } : {}),
          ...(isOperators ? { trust: 'operator' as const } : {}),
        },
        once,
        [
          {
            ...decided(admission.declared ? 'confirmed' : 'reinforced', admission, memory.confidence, confidence),
            said: clean.candidate.content === memory.content ? null : clean.candidate.content,
          },
        ],
      )
    } else {
      result = this.#create(clean, admission.confidence)
      // Taken, and yet no neighbour is the same: the memory with these words is gone, and they may come back.
      const once = [...(said === null ? [] : [said]), ...(this.#taken.has(fresh) ? [] : [fresh])]
      const { embedding } = clean
      this.#pending.set(result.id, { memory: result, fresh: true, vector: embedding.vector, embedding, once })
    }
    for (const { memory, relation, both } of admission.kind === 'reinforce' ? [] : admission.beside) {
      result = this.#change(result, { links: linked(result, relation, memory.id) }, [], [])
      if (both) this.#change(memory, { links: linked(this.#current(memory), 'confirmedBy', result.id) }, [], [])
    }
    for (const id of admission.kind === 'reinforce' ? [] : replacedBy)
      result = this.#change(result, { links: linked(result, 'contradictedBy', id) }, [], [])
    if (admission.kind === 'insert') return result
    for (const weakened of admission.weakened) {
      const { memory, confidence, active, declared } = weakened
      const opponent = opponentOf(this.#target)
      const once = opponent === undefined || this.#opposed.has(memory.id) ? [] : [opposedKey(opponent, memory.id)]
      if (opponent !== undefined) this.#opposed.add(memory.id)
      const [lost, won] = declared ? (['corrected', 'corrects'] as const) : (['contradicted', 'contradicts'] as const)
      const loss = { ...decided(lost, weakened, memory.confidence, confidence), other: result.id }
      this.#change(memory, { confidence, active, links: linked(memory, 'contradictedBy', result.id) }, once, [loss])
      const open = memory.trust === 'operator' && speakerOf(clean, this.#writer).trust !== 'operator'
      const tags = open ? putUp(result) : result.tags
      const win = { ...decided(won, weakened, result.confidence, result.confidence), other: memory.id }
      result = this.#change(result, { links: linked(result, 'contradicts', memory.id), tags }, [], [win])
    }
    return result
  }

  /** Only a reinforcement sets `updatedAt`, which restarts the decay clock. However often a batch changes a memory, it is one version. */
  #change(memory: Memory, fields: Partial<Memory>, once: readonly string[], decisions: readonly Decision[]): Memory {
    const pending = this.#pending.get(memory.id)
    const changed = { ...(pending?.memory ?? { ...memory, version: memory.version + 1 }), ...fields }
    changed.metadata = withDecisions(changed, changed.version, decisions)
    if (pending) {
      pending.memory = changed
      pending.once.push(...once)
    } else {
      this.#pending.set(memory.id, { memory: changed, fresh: false, vector: null, embedding: null, once: [...once] })
    }
    return changed
  }

  #current(memory: Memory): Memory {
    return this.#pending.get(memory.id)?.memory ?? memory
  }

  #create(clean: Clean, confidence: number): Memory {
    return createMemory(this.#core, clean, this.#writer, confidence)
  }

  get #writer(): Writer {
    return { target: this.#target, vouched: this.#vouched, now: this.#now }
  }

  #named({ declares }: Candidate, { named, known }: Material): Neighbour | null {
    const stored = declares?.memory === undefined ? undefined : named.get(declares.memory)
    if (stored === undefined) return null
    const { session } = this.#target
    const pending = this.#pending.get(stored.id)
    const counted = pending !== undefined || (session !== undefined && known.has(countedKey(session, stored.id)))
    const opposed = this.#opposed.has(stored.id)
    return { memory: pending?.memory ?? stored, vector: null, counted, opposed, shown: true }
  }

  #neighbours(clean: Clean, material: Material): Neighbour[] {
    const { session } = this.#target
    const stored = material.neighbours.get(clean) ?? new Map()
    const found: Neighbour[] = [...stored.values()]
      .filter(({ memory }) => !this.#pending.has(memory.id))
      .map(({ memory, vector }) => ({
        memory,
        vector,
        elsewhere: !sameScope(scopeOf(memory.layer, memory.identifiers), clean.scope),
        counted: session !== undefined && material.known.has(countedKey(session, memory.id)),
        opposed: this.#opposed.has(memory.id),
        shown: material.shown.has(memory.id),
      }))
    for (const { memory, vector, fresh } of this.#pending.values()) {
      if (!isVisible(memory, this.#now) || !sameScope(scopeOf(memory.layer, memory.identifiers), clean.scope)) continue
      const own = vector ?? stored.get(memory.id)?.vector ?? null
      // Whatever this batch touched, this session has touched.
      const [opposed, shown] = [this.#opposed.has(memory.id), material.shown.has(memory.id)]
      found.push({ memory, vector: own, counted: session !== undefined, opposed, shown, together: fresh })
    }
    // Items of one list stand beside each other: none of them corrects another, however alike they are.
    return found.filter(({ memory: { content } }) => content === clean.candidate.content || !this.#list.has(content))
  }
}

function sameScope(a: Scope, b: Scope): boolean {
  return a.layer === b.layer && a.owner === b.owner && a.project === b.project
}

function decided(kind: Decision['kind'], { reason, score }: Grounds, from: number, to: number): Decision {
  return { kind, other: null, said: null, reason, score, from, to }
}

/** A marked note changes no other memory: it stands beside them, and makes surer only what is marked itself, or says the very same. */
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
  return { kind: 'duplicate', of: memory, reason: 'much the same is known, and this is unverified' }
}

function insertion({ memory, embedding, once }: Pending): Write {
  return { kind: 'insert', row: newRow(memory, embedding), ...(once.length > 0 ? { once } : {}) }
}

function alteration({ memory, once }: Pending): Write {
  return { kind: 'update', row: changedRow(memory), ...(once.length > 0 ? { once: [...new Set(once)] } : {}) }
}
