import { z } from 'zod'
import { FLAGGED_CONFIDENCE, guardCandidate } from '../guard/guard.ts'
import { type Admission, admit, type Neighbour, pairsToAsk } from '../lifecycle/admit.ts'
import { decayed } from '../lifecycle/decay.ts'
import { floorFor, prepareRelater, type Relater } from '../lifecycle/relate/relate.ts'
import { type Candidate, type CandidateInput, candidateSchema } from '../model/candidate.ts'
import { MemoryError } from '../model/errors.ts'
import { identifiersSchema, idSchema, layerSchema, tierSchema } from '../model/fields.ts'
import { type Identifiers, type Layer, requireIdentifier, type Scope, scopeOf } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { ACTIVE_CONFIDENCE, isVisible, type Link, type Memory, memorySchema, sourceSchema } from '../model/memory.ts'
import { countedKey, heldKey, repeatKey, saidKey, sessionActor } from '../model/once-keys.ts'
import type { Outcome, Refusal } from '../model/outcome.ts'
import { parseInput } from '../model/parse.ts'
import { keySchema } from '../model/schema.ts'
import { findCandidates } from '../recall/find.ts'
import type { Embedding, Write } from '../storage/commit.ts'
import type { SearchQuery } from '../storage/search-query.ts'
import { embeddedText } from '../text/embedded-text.ts'
import { readerOf, resolveOwner } from './claim.ts'
import { type Caller, type Core, embedMemories } from './core.ts'
import { trustOf } from './guard-input.ts'
import { isOperator } from './operator.ts'
import { captureEvent } from './run-events.ts'
import { beginning, requireOwnSession } from './sessions.ts'
import { isWithin } from './within.ts'
import { changedRow, commitOnce, newRow, partition } from './write.ts'

/** Where and for whom something is remembered. */
export const rememberTargetSchema = z.strictObject({
  identifiers: identifiersSchema.optional(),
  /** Overrides where a candidate lands. Default: its own layer, else the agent's in a run with an agent, else the project's. */
  layer: layerSchema.optional(),
  /** The run it comes from: counted for a memory once, and captured again without harm. */
  session: idSchema.optional(),
  tier: tierSchema.optional(),
  source: sourceSchema.optional(),
  /** Only decides; nothing is stored. */
  dryRun: z.boolean().optional(),
  key: keySchema,
})
export type RememberTarget = z.input<typeof rememberTargetSchema>
export type ParsedTarget = z.output<typeof rememberTargetSchema>

const candidatesArgument = z.strictObject({ candidates: z.array(candidateSchema).max(LIMITS.bulk) })

/** Neighbours that a candidate is compared with: the nearest in its scope, service and category. */
const NEIGHBOURS = 10
const MOST_TRIES = 20
/** Showings of a session that are looked at for echoes. */
const MOST_SHOWN = 1000

/** Takes candidates through guard and admit, and stores what comes of them. */
export async function remember(
  core: Core,
  caller: Caller,
  candidates: readonly CandidateInput[],
  target: RememberTarget,
  also: readonly Write[] = [],
  refusals: readonly Refusal[] = [],
): Promise<Outcome[]> {
  const parsed = parseInput(rememberTargetSchema, target, 'remember')
  const all = parseInput(candidatesArgument, { candidates }, 'remember').candidates
  const identifiers = landingIdentifiers(caller, parsed, all)
  if (parsed.session !== undefined) await requireOwnSession(core, caller, parsed.session)
  const key = repeatKey(parsed.key, 'remember', identifiers, parsed.session ?? null)
  return rememberPart(core, caller, all, { ...parsed, identifiers, key }, also, refusals)
}

/** A caller who is known writes as what it is known by, and nowhere else. */
function landingIdentifiers(caller: Caller, target: ParsedTarget, candidates: readonly Candidate[]): Identifiers {
  for (const candidate of candidates) if (caller.identifiers !== null) resolveOwner(caller, candidate.identifiers)
  if (caller.identifiers === null) {
    const given = target.identifiers ?? {}
    // Nothing is remembered for nobody, not even an empty list.
    if (Object.keys(given).length === 0) requireIdentifier(target.layer ?? 'project', given)
    return given
  }
  return resolveOwner(caller, target.identifiers)
}

type Target = ParsedTarget & { identifiers: Identifiers }

/** Decides and stores. What is too much for one commit is halved, so that each decision stays whole. */
async function rememberPart(
  core: Core,
  caller: Caller,
  candidates: readonly Candidate[],
  target: Target,
  also: readonly Write[],
  refusals: readonly Refusal[] = [],
): Promise<Outcome[]> {
  for (let tries = 0; ; tries++) {
    const batch = new Batch(core, caller, target)
    const outcomes = await batch.decide(candidates)
    if (target.dryRun) return outcomes
    // An event of a workflow tells by itself what happened.
    const isTold = also.some(({ kind }) => kind === 'event')
    const told = isTold ? [] : captureEvent(target.session, target.identifiers, core.now(), outcomes, refusals)
    const parts = batch.parts([...also, ...told])
    if (parts.length > 1 && candidates.length > 1) {
      return rememberHalves(core, caller, candidates, target, also, refusals)
    }
    const stored = await batch.commit(caller, parts, outcomes, candidates)
    if (stored !== null) return stored
    // Someone changed or deleted a neighbour, or said the same, meanwhile: decide anew on what is there now.
    if (tries >= MOST_TRIES) {
      throw new MemoryError('CONFLICT', 'Others kept changing the same memories. Try again.', { details: { tries } })
    }
  }
}

async function rememberHalves(
  core: Core,
  caller: Caller,
  candidates: readonly Candidate[],
  target: Target,
  also: readonly Write[],
  refusals: readonly Refusal[],
): Promise<Outcome[]> {
  const half = Math.ceil(candidates.length / 2)
  const part = (name: string) => ({ ...target, key: target.key === undefined ? undefined : `${target.key}.${name}` })
  const first = await rememberPart(core, caller, candidates.slice(0, half), part('a'), also, refusals)
  return [...first, ...(await rememberPart(core, caller, candidates.slice(half), part('b'), []))]
}

interface Pending {
  memory: Memory
  /** Not stored yet. */
  fresh: boolean
  vector: Float32Array | null
  embedding: Embedding | null
  once: string[]
}

type GuardResult = ReturnType<typeof guardCandidate>

interface Clean extends Exclude<GuardResult, { refused: string }> {
  layer: Layer
  identifiers: Identifiers
  scope: Scope
  embedding: Embedding
  quoted: Embedding | null
  said: string | null
  /** Of what is held back: the same words are held once. */
  held: string | null
}

type Said = Pick<Candidate, 'content' | 'service'>

/** The words that a candidate quotes, as a memory of its service. */
function quotedBy(candidate: Candidate): Said[] {
  return isQuoting(candidate) ? [{ content: candidate.declares.text, service: candidate.service }] : []
}

/** The decisions on one batch. Each sees what those before it would change. */
class Batch {
  readonly #core: Core
  readonly #target: Target
  readonly #now: Date
  /** Whether an operator may be speaking. */
  readonly #vouched: boolean
  readonly #mayChange: (memory: Memory) => boolean
  /** Memories of this batch, new or changed, by id; what is stored about them is out of date. */
  readonly #pending = new Map<string, Pending>()
  readonly #marks: Write[] = []
  /** What the items of a list say, that a person hands over as one. */
  #list: ReadonlySet<string> = new Set()

  constructor(core: Core, caller: Caller, target: Target) {
    const { within } = caller
    this.#core = core
    this.#vouched = isOperator(core, caller)
    this.#mayChange = within === undefined ? () => true : (memory) => isWithin(within, memory)
    this.#target = target
    this.#now = core.now()
  }

  async decide(candidates: readonly Candidate[]): Promise<Outcome[]> {
    const guarded: GuardResult[] = []
    for (const candidate of candidates) guarded.push(await this.#guard(candidate))
    const clean = await this.#embed(guarded)
    const { source, session } = this.#target
    if (source === 'manual' && session !== undefined)
      this.#list = new Set(clean.flatMap((each) => each?.candidate.content ?? []))
    const material = await this.#lookUp(clean.filter((each) => each !== null))
    const relater = await this.#prepareRelater(clean, material)
    return guarded.map((each, i) => {
      const own = clean[i]
      if ('refused' in each || !own)
        return refusal(candidates[i]!, 'refused' in each ? each.refused : 'it says nothing')
      return this.#decideOne(own, material, relater)
    })
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

  /** What became of the candidates, as stored; null when something stood in the way, and nothing of that part is stored. */
  async commit(
    caller: Caller,
    parts: readonly Write[][],
    outcomes: Outcome[],
    of: readonly Candidate[],
  ): Promise<Outcome[] | null> {
    const { session, key } = this.#target
    const by = session === undefined ? caller.by : sessionActor(session, caller.named ? caller.by : null)
    let told = outcomes
    for (const [i, writes] of parts.entries()) {
      const own = key === undefined ? {} : { key: `${key}/${i}`, ...(i === 0 ? { note: toNote(outcomes) } : {}) }
      const result = await commitOnce(this.#core, { ...own, of, by, at: this.#now, writes })
      if (!result.applied) return null
      // An earlier call with this key has decided: what it decided is the answer.
      if (result.repeated && result.note !== null) told = await fromNote(this.#core, result.note)
    }
    return told
  }

  async #guard(candidate: Candidate): Promise<GuardResult> {
    const { maxContentLength } = this.#core.storage.capabilities
    const guarded = guardCandidate(candidate, { maxLength: maxContentLength })
    if ('refused' in guarded) return guarded
    const unfit = STORED_FIELDS.safeParse({
      service: guarded.candidate.service,
      tags: guarded.candidate.tags,
      anchor: guarded.candidate.anchor,
      metadata: guarded.candidate.metadata,
    })
    if (unfit.success) return this.#core.judge(guarded)
    const [issue] = unfit.error.issues
    return { refused: `its ${String(issue!.path[0])} cannot be stored: ${issue!.message}` }
  }

  async #embed(guarded: readonly GuardResult[]): Promise<(Clean | null)[]> {
    const said = guarded.flatMap((each) => ('refused' in each ? [] : [each.candidate, ...quotedBy(each.candidate)]))
    const embeddings = await embedMemories(this.#core, said)
    const embedded = new Map(said.map((each, i) => [embeddedText(each), embeddings[i]!.embedding]))
    const embeddingOf = (each: Said) => embedded.get(embeddedText(each))!
    return guarded.map((each) => {
      if ('refused' in each) return null
      const { candidate } = each
      const { layer, identifiers } = landing(candidate, this.#target)
      const scope = scopeOf(layer, identifiers)
      const { session } = this.#target
      const said = session === undefined ? null : saidKey(session, scope, candidate)
      const quoted = quotedBy(candidate).map(embeddingOf)[0] ?? null
      const held = each.quarantine ? heldKey(scope, candidate) : null
      return { ...each, layer, identifiers, scope, embedding: embeddingOf(candidate), quoted, said, held }
    })
  }

  /** Asks the relation model about everything that the decisions may compare, in one go. */
  #prepareRelater(clean: readonly (Clean | null)[], { neighbours }: Material): Promise<Relater> {
    const { model, relations } = this.#core
    const all = clean.filter((each) => each !== null && each.held === null) as Clean[]
    const pairs = all.flatMap((each, i) => {
      // What an earlier candidate of this batch says is a neighbour of this one.
      const peers = all
        .slice(0, i)
        .filter(({ scope }) => sameScope(scope, each.scope))
        .map(({ candidate, embedding }) => ({ memory: candidate, vector: embedding.vector }))
      const known = [...(neighbours.get(each)?.values() ?? []), ...peers]
      const quotedVector = each.quoted?.vector ?? null
      return pairsToAsk(each.candidate, known, { vector: each.embedding.vector, quotedVector })
    })
    return prepareRelater(pairs, { model: relations, floor: floorFor(model.name) })
  }

  /** Everything the decisions need to know of the store, in few questions. */
  async #lookUp(clean: readonly Clean[]): Promise<Material> {
    const { storage, attempt } = this.#core
    const { session } = this.#target
    if (clean.length === 0) return { neighbours: new Map(), known: new Set(), shown: new Set(), named: new Map() }
    const asked = clean.flatMap((each) => this.#questions(each))
    const found = await attempt(() =>
      findCandidates(
        storage,
        asked.map(({ query }) => query),
      ),
    )
    const neighbours = new Map<Clean, Map<string, { memory: Memory; vector: Float32Array | null }>>()
    asked.forEach(({ of }, i) => {
      const own = neighbours.get(of) ?? new Map()
      for (const { memory, vector } of found[i]!.candidates) {
        own.set(memory.id, { memory: decayed(memory, this.#now), vector })
      }
      neighbours.set(of, own)
    })
    const names = clean.flatMap(({ candidate }) => candidate.declares?.memory ?? [])
    const ids = new Set([...[...neighbours.values()].flatMap((own) => [...own.keys()]), ...names])
    const counted = session === undefined ? [] : [...ids].map((id) => countedKey(session, id))
    const keys = new Set([...clean.flatMap(({ said, held }) => [said ?? [], held ?? []].flat()), ...counted])
    const [known, showings] = await Promise.all([
      keys.size === 0 ? new Set<string>() : attempt(() => storage.known([...keys])),
      session === undefined || ids.size === 0
        ? null
        : attempt(() => storage.injections({ session, memory: null, after: null, limit: MOST_SHOWN })),
    ])
    const shown = new Set(showings?.items.map(({ memory }) => memory))
    return { neighbours, known, shown, named: await this.#lookUpNamed(names.filter((id) => shown.has(id))) }
  }

  /** Memories of any scope that this session was shown, may still read, and may change. */
  async #lookUpNamed(ids: readonly string[]): Promise<Map<string, Memory>> {
    if (ids.length === 0) return new Map()
    const { storage, attempt } = this.#core
    const mayRead = await readerOf(this.#core, this.#target.identifiers)
    const stored = (await attempt(() => storage.get([...new Set(ids)]))).map(({ memory }) => memory)
    const found = stored.filter((memory) => mayRead(memory) && this.#mayChange(memory))
    return new Map(found.map((memory) => [memory.id, decayed(memory, this.#now)]))
  }

  #questions(clean: Clean): { of: Clean; query: SearchQuery }[] {
    const { scope, candidate, embedding, quoted, held } = clean
    // What is held back is compared with nothing: it must not change what is known. Nor is what only confirms.
    if (held !== null || isConfirming(candidate)) return []
    const { layer, owner, project } = scope
    const question = (vector: Float32Array, categories?: Candidate['category'][]) => ({
      of: clean,
      query: {
        scopes: [{ layer, owner, projects: [project] }],
        where: {
          visibleAt: this.#now.toISOString(),
          service: candidate.service,
          ...(categories === undefined ? {} : { categories }),
        },
        vector,
        tokens: [],
        limit: NEIGHBOURS,
      },
    })
    // A quotation may mean a memory of another category.
    return [question(embedding.vector, [candidate.category]), ...(quoted ? [question(quoted.vector)] : [])]
  }

  #decideOne(clean: Clean, material: Material, relater: Relater): Outcome {
    const { candidate, redactions, flags, said, embedding, quoted } = clean
    const about = { content: candidate.content, category: candidate.category, service: candidate.service }
    const report = { ...about, redactions, flags }
    const before = said === null ? undefined : [...this.#pending.values()].find(({ once }) => once.includes(said))
    if (before) return { kind: 'duplicate', ...report, memory: before.memory, reason: 'said by this session already' }
    if (said !== null && material.known.has(said)) {
      const same = [...(material.neighbours.get(clean)?.values() ?? [])].find(
        ({ memory }) => memory.content === candidate.content,
      )
      const reason = same ? 'the same words, said by this session itself' : 'this session has said it before'
      return { kind: 'duplicate', ...report, memory: same?.memory ?? null, reason }
    }
    if (clean.held !== null) {
      // A confirmation has no words of its own that could be held.
      if (isConfirming(candidate)) return { kind: 'refuse', ...report, reason: 'it reads as an order' }
      return this.#hold(clean, clean.held, material)
    }
    const admission = admit(candidate, this.#neighbours(clean, material), relater, {
      now: this.#now,
      session: this.#target.session ?? null,
      vector: embedding.vector,
      ...(quoted ? { quotedVector: quoted.vector } : {}),
      named: this.#named(candidate, material),
      ...(flags.length > 0 ? { confidence: FLAGGED_CONFIDENCE } : {}),
      ...(candidate.confidence === undefined ? {} : { confidence: candidate.confidence }),
    })
    const { reason } = admission
    if (admission.kind === 'refuse') return { kind: 'refuse', ...report, reason }
    if (admission.kind === 'duplicate') {
      // Said again later, it must find out that it was said, whatever has become of the memory.
      if (said !== null) this.#marks.push({ kind: 'mark', memory: admission.of.id, once: [said] })
      return { kind: 'duplicate', ...report, memory: admission.of, reason }
    }
    const memory = this.#apply(admission, clean)
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
    const { candidate, redactions, flags, said, embedding } = clean
    const about = { content: candidate.content, category: candidate.category, service: candidate.service }
    const report = { ...about, redactions, flags }
    const before = [...this.#pending.values()].find(({ once }) => once.includes(held))
    if (before || material.known.has(held)) {
      return { kind: 'duplicate', ...report, memory: before?.memory ?? null, reason: 'held for review already' }
    }
    const memory = this.#create(clean, FLAGGED_CONFIDENCE)
    const once = [held, ...(said === null ? [] : [said])]
    this.#pending.set(memory.id, { memory, fresh: true, vector: embedding.vector, embedding, once })
    return { kind: 'insert', ...report, memory, reason: `held for review: ${clean.reasons.join('; ')}` }
  }

  #apply(admission: Exclude<Admission, { kind: 'refuse' | 'duplicate' }>, clean: Clean): Memory {
    const { said } = clean
    const { session } = this.#target
    let result: Memory
    if (admission.kind === 'reinforce') {
      const { memory, confidence } = admission
      const once = session === undefined ? [] : [countedKey(session, memory.id), ...(said === null ? [] : [said])]
      const corroborated = memory.trust === 'agent' && memory.session !== (session ?? null)
      result = this.#change(
        memory,
        {
          confidence,
          updatedAt: this.#now.toISOString(),
          decayedWeeks: 0,
          ...(corroborated ? { trust: 'corroborated' as const } : {}),
        },
        once,
      )
    } else {
      result = this.#create(clean, admission.confidence)
      const once = said === null ? [] : [said]
      const { embedding } = clean
      this.#pending.set(result.id, { memory: result, fresh: true, vector: embedding.vector, embedding, once })
    }
    if (admission.kind === 'insert') return result
    for (const { memory, confidence, active } of admission.weakened) {
      this.#change(memory, { confidence, active, links: linked(memory, 'contradictedBy', result.id) })
      result = this.#change(result, { links: linked(result, 'contradicts', memory.id) })
    }
    return result
  }

  /** Only a reinforcement sets `updatedAt`, which restarts the decay clock. However often a batch changes a memory, it is one version. */
  #change(memory: Memory, fields: Partial<Memory>, once: readonly string[] = []): Memory {
    const pending = this.#pending.get(memory.id)
    const changed = { ...(pending?.memory ?? { ...memory, version: memory.version + 1 }), ...fields }
    if (pending) {
      pending.memory = changed
      pending.once.push(...once)
    } else {
      this.#pending.set(memory.id, { memory: changed, fresh: false, vector: null, embedding: null, once: [...once] })
    }
    return changed
  }

  #create({ candidate, layer, identifiers, flags, quarantine }: Clean, confidence: number): Memory {
    const at = this.#now.toISOString()
    const source = this.#target.source ?? candidate.source
    const tier = this.#target.tier ?? candidate.tier ?? 1
    return {
      id: this.#core.nextId(this.#now),
      content: candidate.content,
      layer,
      identifiers,
      category: candidate.category,
      service: candidate.service,
      source,
      tags: candidate.tags,
      metadata: flags.length > 0 ? { ...candidate.metadata, flags } : candidate.metadata,
      anchor: candidate.anchor,
      importance: candidate.importance,
      confidence,
      active: confidence >= ACTIVE_CONFIDENCE,
      decayedWeeks: 0,
      tier,
      trust: trustOf({ tier, source }, { flags, quarantine, vouched: this.#vouched }),
      links: [],
      thread: candidate.thread ?? null,
      occurredAt: candidate.occurredAt ?? null,
      session: this.#target.session ?? null,
      expiresAt: candidate.expiresAt ?? null,
      lastRecalledAt: null,
      recallCount: 0,
      createdAt: at,
      updatedAt: at,
      version: 1,
    }
  }

  #named({ declares }: Candidate, { named, known }: Material): Neighbour | null {
    const stored = declares?.memory === undefined ? undefined : named.get(declares.memory)
    if (stored === undefined) return null
    const { session } = this.#target
    const pending = this.#pending.get(stored.id)
    const counted = pending !== undefined || (session !== undefined && known.has(countedKey(session, stored.id)))
    return { memory: pending?.memory ?? stored, vector: null, counted, shown: true }
  }

  #neighbours(clean: Clean, material: Material): Neighbour[] {
    const { session } = this.#target
    const stored = material.neighbours.get(clean) ?? new Map()
    const found: Neighbour[] = [...stored.values()]
      .filter(({ memory }) => !this.#pending.has(memory.id))
      .map(({ memory, vector }) => ({
        memory,
        vector,
        counted: session !== undefined && material.known.has(countedKey(session, memory.id)),
        shown: material.shown.has(memory.id),
      }))
    for (const { memory, vector } of this.#pending.values()) {
      if (!isVisible(memory, this.#now) || !sameScope(scopeOf(memory.layer, memory.identifiers), clean.scope)) continue
      const own = vector ?? stored.get(memory.id)?.vector ?? null
      // Whatever this batch touched, this session has touched.
      found.push({ memory, vector: own, counted: session !== undefined, shown: material.shown.has(memory.id) })
    }
    // Items of one list stand beside each other: none of them corrects another, however alike they are.
    return found.filter(({ memory: { content } }) => content === clean.candidate.content || !this.#list.has(content))
  }
}

/** Outcomes with the memories by id. */
function toNote(outcomes: readonly Outcome[]): string {
  return JSON.stringify(
    outcomes.map((outcome) => ({ ...outcome, memory: 'memory' in outcome ? (outcome.memory?.id ?? null) : null })),
  )
}

async function fromNote({ storage, attempt, now }: Core, note: string): Promise<Outcome[]> {
  const told = JSON.parse(note) as (Outcome & { memory: string | null })[]
  const ids = told.flatMap(({ memory }) => memory ?? [])
  const found = ids.length === 0 ? [] : await attempt(() => storage.get(ids))
  const byId = new Map(found.map(({ memory }) => [memory.id, decayed(memory, now())]))
  return told.map((outcome): Outcome => {
    const memory = outcome.memory === null ? null : (byId.get(outcome.memory) ?? null)
    const { content, category, service, redactions, flags } = outcome
    const about = { content, category, service, redactions, flags }
    if (outcome.kind === 'refuse') return { kind: 'refuse', reason: outcome.reason, ...about }
    if (memory !== null) return { ...outcome, memory } as Outcome
    return { kind: 'duplicate', reason: 'this was remembered before, and deleted since', ...about, memory: null }
  })
}

interface Material {
  neighbours: Map<Clean, Map<string, { memory: Memory; vector: Float32Array | null }>>
  /** Once-keys that are taken. */
  known: ReadonlySet<string>
  /** Memories that the session was shown. */
  shown: ReadonlySet<string>
  /** Those of them that candidates name by their id. */
  named: ReadonlyMap<string, Memory>
}

const STORED_FIELDS = memorySchema.pick({ service: true, tags: true, anchor: true, metadata: true })

/** Whether it quotes what it declares about, and does not name it. */
function isQuoting(candidate: Candidate): candidate is Candidate & { declares: NonNullable<Candidate['declares']> } {
  return candidate.declares !== undefined && candidate.declares.memory === undefined
}

/** Whether it says nothing but that a memory which it names still holds. */
function isConfirming({ declares }: Candidate): boolean {
  return declares?.relation === 'confirms' && declares.memory !== undefined
}

/** In a run with an agent its own layer, so that it comes back to that agent; else the project's. */
function landing(candidate: Candidate, target: Target): { layer: Layer; identifiers: Identifiers } {
  const identifiers = { ...target.identifiers, ...candidate.identifiers }
  const layer = target.layer ?? candidate.layer ?? (identifiers.agentId === undefined ? 'project' : 'agent')
  return { layer, identifiers }
}

function sameScope(a: Scope, b: Scope): boolean {
  return a.layer === b.layer && a.owner === b.owner && a.project === b.project
}

/** Of very many links the newest stay. */
function linked(memory: Memory, relation: Link['relation'], other: string): Link[] {
  // The last word counts: what was corrected and is said again corrects its correction.
  const rest = memory.links.filter((link) => link.memory !== other)
  return [...rest, { relation, memory: other }].slice(-LIMITS.links)
}

function insertion({ memory, embedding, once }: Pending): Write {
  return { kind: 'insert', row: newRow(memory, embedding), ...(once.length > 0 ? { once } : {}) }
}

function alteration({ memory, once }: Pending): Write {
  return { kind: 'update', row: changedRow(memory), ...(once.length > 0 ? { once: [...new Set(once)] } : {}) }
}

function refusal({ category, service }: Candidate, reason: string): Outcome {
  return { kind: 'refuse', reason, content: '', category, service, redactions: [], flags: [] }
}
