import { FLAGGED_CONFIDENCE, guardCandidate } from '../guard/guard.ts'
import type { Redaction } from '../guard/redact-secrets.ts'
import { type Admission, admit, type Neighbour } from '../lifecycle/admit.ts'
import { sameWords } from '../lifecycle/quotation.ts'
import { ruleRelater } from '../lifecycle/relate/relate.ts'
import type { Candidate } from '../model/candidate.ts'
import { MemoryError } from '../model/errors.ts'
import { type Identifiers, type Layer, readableScopes, scopeOf } from '../model/layer.ts'
import { ACTIVE_CONFIDENCE, type JsonObject, type Memory, type Source, type Tier } from '../model/memory.ts'
import { findVectors } from '../recall/find.ts'
import type { Embedding, Write } from '../storage/storage.ts'
import { type Core, embedTexts } from './core.ts'

/** Where and for whom something is remembered. */
export interface RememberTarget {
  identifiers: Identifiers
  /** Overrides where a candidate lands. Default: its own layer, else the agent's in a run with an agent, else the project's. */
  layer?: Layer
  /** The run it comes from: counted for a memory once, and captured again without harm. */
  session?: string
  tier?: Tier
  source?: Source
  /** Only decides; nothing is stored. */
  dryRun?: boolean
}

/** What became of one candidate. */
export interface Outcome {
  kind: Admission['kind']
  reason: string
  content: string
  category: Candidate['category']
  service: string | null
  /** The memory that was created, reinforced, or said it before. */
  memory: Memory | null
  weakened: { id: string; content: string; confidence: number; active: boolean }[]
  redactions: Redaction[]
  flags: string[]
}

/** Neighbours that a candidate is compared with: the nearest in its scope, service and category. */
const NEIGHBOURS = 10
const MOST_TRIES = 20
/** Words that a store still reports as said after so many tries are out of sight (of another model): better twice than lost. */
const TRIES_FOR_REPEATS = 4

/** Takes candidates through guard and admit, and stores what comes of them as one transaction. */
export async function remember(
  core: Core,
  candidates: readonly Candidate[],
  target: RememberTarget,
): Promise<Outcome[]> {
  for (let tries = 0; ; tries++) {
    const batch = new Batch(core, target)
    const outcomes = await batch.decide(candidates)
    if (target.dryRun) return outcomes
    try {
      await batch.commit(tries < TRIES_FOR_REPEATS)
      return outcomes
    } catch (error) {
      // Someone changed a neighbour meanwhile: decide anew on what is there now.
      if (!MemoryError.is(error) || error.code !== 'CONFLICT' || tries >= MOST_TRIES) throw error
    }
  }
}

/** The decisions on one batch. Each sees what those before it would change. */
class Batch {
  readonly #core: Core
  readonly #target: RememberTarget
  readonly #relater
  readonly #now: Date
  /** Memories of this batch, new or changed, by id; what is stored about them is out of date. */
  readonly #pending = new Map<string, { memory: Memory; base: number; embedding: Embedding | null; fresh: boolean }>()

  constructor(core: Core, target: RememberTarget) {
    this.#core = core
    this.#target = target
    this.#relater = ruleRelater(
      core.provider.calibrate ? { calibrate: (cosine) => core.provider.calibrate!(cosine) } : {},
    )
    this.#now = core.now()
  }

  async decide(candidates: readonly Candidate[]): Promise<Outcome[]> {
    const guarded = candidates.map((candidate) => ({
      candidate,
      result: guardCandidate(candidate, { maxLength: this.#core.storage.capabilities.maxContentLength }),
    }))
    const texts = guarded.flatMap(({ result }) =>
      'refused' in result
        ? []
        : [result.candidate.content, ...(result.candidate.declares ? [result.candidate.declares.text] : [])],
    )
    const embedded = new Map((await embedTexts(this.#core, texts)).map((embedding, i) => [texts[i]!, embedding]))
    const { session } = this.#target
    const deleted = session === undefined ? [] : await this.#core.attempt(() => this.#core.storage.deletedOf(session))
    const outcomes: Outcome[] = []
    for (const { candidate, result } of guarded) {
      if ('refused' in result) {
        outcomes.push(
          toOutcome({ ...candidate, content: '' }, { kind: 'refuse', reason: result.refused }, null, [], []),
        )
        continue
      }
      if (deleted.some((content) => sameWords(content, result.candidate.content))) {
        const reason = 'it was deleted after this session said it'
        outcomes.push(toOutcome(result.candidate, { kind: 'refuse', reason }, null, [], []))
        continue
      }
      outcomes.push(await this.#decideOne(result.candidate, result.redactions, result.flags, embedded))
    }
    return outcomes
  }

  async commit(oncePerSession: boolean): Promise<void> {
    const writes: Write[] = [...this.#pending.values()].map(({ memory, base, embedding, fresh }) =>
      fresh ? { kind: 'insert', memory, embedding } : { kind: 'update', memory: { ...memory, version: base + 1 } },
    )
    const by = this.#target.session === undefined ? this.#core.actor : sessionActor(this.#target.session)
    if (writes.length > 0) await this.#core.attempt(() => this.#core.storage.commit(writes, by, { oncePerSession }))
  }

  async #decideOne(
    candidate: Candidate,
    redactions: Redaction[],
    flags: string[],
    embedded: ReadonlyMap<string, Embedding>,
  ): Promise<Outcome> {
    const { layer, identifiers } = landing(candidate, this.#target)
    scopeOf(layer, identifiers)
    const embedding = embedded.get(candidate.content)!
    const quoted = candidate.declares ? embedded.get(candidate.declares.text)! : null
    const admission = admit(
      candidate,
      await this.#neighbours(candidate, layer, identifiers, embedding.vector, quoted?.vector ?? null),
      this.#relater,
      {
        now: this.#now,
        session: this.#target.session ?? null,
        vector: embedding.vector,
        ...(quoted ? { quotedVector: quoted.vector } : {}),
        ...(flags.length > 0 ? { confidence: FLAGGED_CONFIDENCE } : {}),
      },
    )
    const memory = this.#apply(admission, { ...candidate, layer, identifiers }, embedding, flags)
    return toOutcome(candidate, admission, memory, redactions, flags)
  }

  #apply(
    admission: Admission,
    candidate: Candidate & { layer: Layer; identifiers: Identifiers },
    embedding: Embedding,
    flags: string[],
  ): Memory | null {
    if (admission.kind === 'refuse') return null
    if (admission.kind === 'duplicate') return admission.of
    if (admission.kind !== 'insert') {
      for (const { memory, confidence, active } of admission.weakened) this.#change(memory, { confidence, active })
    }
    if (admission.kind === 'reinforce') {
      const { memory, confidence } = admission
      return this.#change(memory, { confidence, updatedAt: this.#now.toISOString() })
    }
    const memory = this.#create(candidate, admission.confidence, flags)
    this.#pending.set(memory.id, { memory, base: 0, embedding, fresh: true })
    return memory
  }

  /** Only what reinforces makes young again, and starts the time to decay anew. The version is settled with the batch. */
  #change(memory: Memory, standing: { confidence: number; active?: boolean; updatedAt?: string }): Memory {
    const pending = this.#pending.get(memory.id)
    const changed = { ...(pending?.memory ?? memory), ...standing }
    if (pending) pending.memory = changed
    else this.#pending.set(memory.id, { memory: changed, base: memory.version, embedding: null, fresh: false })
    return changed
  }

  #create(
    candidate: Candidate & { layer: Layer; identifiers: Identifiers },
    confidence: number,
    flags: string[],
  ): Memory {
    const at = this.#now.toISOString()
    const metadata: JsonObject = flags.length > 0 ? { ...candidate.metadata, flags } : candidate.metadata
    return {
      id: this.#core.nextId(this.#now),
      content: candidate.content,
      layer: candidate.layer,
      identifiers: candidate.identifiers,
      category: candidate.category,
      service: candidate.service,
      source: this.#target.source ?? candidate.source,
      tags: candidate.tags,
      metadata,
      anchor: candidate.anchor,
      importance: candidate.importance,
      confidence,
      active: confidence >= ACTIVE_CONFIDENCE,
      tier: this.#target.tier ?? candidate.tier ?? 1,
      session: this.#target.session ?? null,
      expiresAt: candidate.expiresAt ?? null,
      lastRecalledAt: null,
      recallCount: 0,
      createdAt: at,
      updatedAt: at,
      version: 1,
    }
  }

  async #neighbours(
    candidate: Candidate,
    layer: Layer,
    identifiers: Identifiers,
    vector: Float32Array,
    quoted: Float32Array | null,
  ): Promise<Neighbour[]> {
    const scope = { ...readableScopes(layer, identifiers)!, projects: [scopeOf(layer, identifiers).project] }
    const { service, category } = candidate
    const near = (query: Float32Array, where: { category?: Candidate['category']; visibleAt?: Date }) =>
      this.#core.attempt(() =>
        findVectors(this.#core.storage, {
          scope,
          where: { ...where, service },
          vector: query,
          model: this.#core.provider.name,
          limit: NEIGHBOURS,
        }),
      )
    const visibleAt = this.#now
    const stored = await near(vector, { category, visibleAt })
    // A quotation may mean a memory of another category.
    if (quoted) stored.push(...(await near(quoted, { visibleAt })))
    // What this session said before may have gone inactive since: a second capture must not bring it back.
    if (this.#target.session !== undefined) {
      stored.push(...(await near(vector, { category })))
      if (quoted) stored.push(...(await near(quoted, {})))
    }
    const unique = new Map(stored.map((match) => [match.memory.id, match]))
    const sessions = await this.#core.attempt(() => this.#core.storage.sessionsOf([...unique.keys()]))
    const found: Neighbour[] = [...unique.values()]
      .filter(({ memory }) => !this.#pending.has(memory.id))
      .map(({ memory, vector: own }) => ({ memory, vector: own, reinforcedBy: sessions.get(memory.id) ?? [] }))
    const here = scopeOf(layer, identifiers)
    for (const { memory, embedding } of this.#pending.values()) {
      if (!memory.active) continue
      const there = scopeOf(memory.layer, memory.identifiers)
      if (there.layer !== here.layer || there.owner !== here.owner || there.project !== here.project) continue
      const own = embedding?.vector ?? unique.get(memory.id)?.vector ?? null
      // Whatever this batch touched, this session has touched.
      found.push({
        memory,
        vector: own,
        reinforcedBy: this.#target.session === undefined ? [] : [this.#target.session],
      })
    }
    return found
  }
}

/** How the history names a session that wrote. */
export function sessionActor(session: string): string {
  return `session:${session}`
}

/** In a run with an agent its own layer, so that it comes back to that agent; else the project's. */
function landing(candidate: Candidate, target: RememberTarget): { layer: Layer; identifiers: Identifiers } {
  const identifiers = { ...target.identifiers, ...candidate.identifiers }
  const layer = target.layer ?? candidate.layer ?? (identifiers.agentId === undefined ? 'project' : 'agent')
  return { layer, identifiers }
}

function toOutcome(
  { content, category, service }: Candidate,
  admission: Admission,
  memory: Memory | null,
  redactions: Redaction[],
  flags: string[],
): Outcome {
  const weakened = admission.kind === 'contradict' || admission.kind === 'reinforce' ? admission.weakened : []
  return {
    kind: admission.kind,
    reason: admission.reason,
    content,
    category,
    service,
    memory,
    weakened: weakened.map(({ memory: { id, content: text }, confidence, active }) => ({
      id,
      content: text,
      confidence,
      active,
    })),
    redactions,
    flags,
  }
}
