import type { KnownToRun } from '../../capture/confirmations.ts'
import { isSameText } from '../../capture/evidence.ts'
import { guardCandidate } from '../../guard/guard.ts'
import type { Candidate } from '../../model/candidate.ts'
import { landingLayer } from '../../model/landing.ts'
import { type Identifiers, type Layer, scopeOf } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Tier } from '../../model/memory.ts'
import type { Refusal } from '../../model/outcome.ts'
import type { Profile } from '../../model/personality.ts'
import { deadline, within } from '../../remote/bound.ts'
import type { StoreClient } from '../../remote/client.ts'
import { LATE_MODELS_MS, lookFresh, MODELS_MS, tellFailures } from '../../remote/look-fresh.ts'
import { Outbox, type PostedCall } from '../../remote/outbox.ts'
import type { Block, CallInput, LiveMemory, OutcomeSummary, ShownMemory } from '../../remote/protocol.ts'
import { hasWaiting } from '../../remote/spool-waiting.ts'
import type { RunSettings } from './run-options.ts'

export interface RunStoreOptions extends Pick<RunSettings, 'spoolFolders' | 'boundMs' | 'remember' | 'warn'> {
  store: Pick<StoreClient, 'start' | 'request' | 'reset'>
  target: RunTarget
}

export interface RunTarget {
  identifiers: Identifiers
  session: string
  layer?: Layer
  tier?: Tier
  about?: Pick<Identifiers, 'taskId' | 'sectionId'>
}

export interface Shown extends Block {
  memories: ShownMemory[]
  /** The store is empty for this run. */
  isEmpty: boolean
  personality: Profile | null
}

export interface StoreReport {
  outcomes: OutcomeSummary[]
  /** Observations waiting in the spool. */
  spooled: number
  /** Observations that could not be written anywhere. */
  lost: number
  /** Secrets redacted from observations. */
  redacted: number
  /** Memories known to have reached the agent, with the time if shown during the run; and those for which that is unknown. */
  shownMemories: (ShownMemory | LiveMemory)[]
  offeredMemories: ShownMemory[]
}

/** For starting its process, which is not part of the bound. */
const START_MS = 5000
/** At the end of a run, how long to wait for a store that keeps accepting records. */
const MOST_DRAIN_MS = 20_000
/** Reserved for the spool, the last chance to keep what the run learned. */
const SPOOL_MS = 250
/** Size of one delivery step; the run's own records go in between. */
const DELIVERY_MS = 1000
/** Longer than a step takes, unless the store hangs. */
const DELIVERY_BOUND_MS = 30_000

/** The store as a run sees it: never blocks, and loses nothing that the agent said. */
export class RunStore {
  readonly #options: RunStoreOptions
  readonly #outbox: Outbox
  readonly #outcomes: OutcomeSummary[] = []
  readonly #recorded: Candidate[] = []
  /** Records that need no answer and are delivered at the end. */
  readonly #refusals: Refusal[] = []
  /** What the agent was offered, and whether it is known to have arrived. */
  #offered: ShownMemory[] = []
  #isShown = false
  #live: LiveMemory[] = []
  #redacted = 0
  /** Resolves when the store has loaded its models, or cannot. */
  #warming: Promise<unknown> = Promise.resolve()
  /** The store has answered what to show the agent. */
  #isAnswering = false
  /** It answered once, and later not: another process keeps it from writing. */
  #isLocked = false
  #finished = false

  constructor(options: RunStoreOptions) {
    this.#options = options
    this.#outbox = new Outbox(options.store, options.spoolFolders)
  }

  /** What to show the agent for its prompt; null if the store does not answer in time. */
  async begin(
    start: CallInput<'beginSession'>,
    format: 'file' | 'operational',
    asked: string | null = null,
  ): Promise<Shown | null> {
    const { store, target, remember, warn } = this.#options
    const { identifiers } = target
    await store.start(START_MS)
    let isBegun = false
    const recordStart = () => {
      if (remember && !isBegun) this.#record('beginSession', start)
      isBegun = true
    }
    const waits = remember && (await hasWaiting(this.#options.spoolFolders))
    const accepts = async () => {
      recordStart()
      this.#isLocked = !(await this.#outbox.drain(this.#options.boundMs / 2))
      if (!this.#isLocked) this.#warm()
      return !this.#isLocked
    }
    const look = (boundMs: number, more = {}) =>
      store.request('context', { format, identifiers, inPrompt: true, ...more }, { boundMs })
    const looking = Promise.all([
      lookFresh(store, waits ? { ...this.#options, accepts } : this.#options, look).then(async (block) => {
        // If everything is shown there is no search, and no model is loaded.
        if (asked === null || asked.trim() === '' || block.omitted.length === 0) return block
        const calledFor = await within(look(MODELS_MS, { for: asked.slice(0, LIMITS.query) }), MODELS_MS)
        return calledFor?.value ?? block
      }),
      this.#profile(),
    ])
    // After the first read, which needs no models.
    if (remember && !waits) this.#warm()
    try {
      const [block, personality] = await looking
      this.#isAnswering = true
      return { ...block, personality }
    } catch (error) {
      warn(`the store is not available: ${(error as Error).message} The agent starts without memories.`)
      return null
    } finally {
      // After the reads: a write that waits for another process blocks them.
      recordStart()
      this.#deliverRest()
    }
  }

  #warm(): void {
    this.#warming = this.#options.store.request('warm', {}, { boundMs: LATE_MODELS_MS }).then(
      () => {
        // Late, but complete.
        this.#isAnswering = true
      },
      () => {},
    )
  }

  /** Start-up of a healthy store is not slowness. A store that never answered is not waited for. */
  async #warmed(): Promise<void> {
    if (this.#isAnswering && !this.#isDead) await this.#warming
  }

  /** It was down or locked at the start, and has accepted nothing since. */
  get #isDead(): boolean {
    return (!this.#isAnswering || this.#isLocked) && this.#outbox.delivered === 0
  }

  async #profile(): Promise<Profile | null> {
    const { store, target, boundMs } = this.#options
    const { agentId } = target.identifiers
    return agentId === undefined ? null : store.request('profile', { agent: agentId }, { boundMs })
  }

  /** What the run already recorded, so that an extraction does not repeat it. */
  get known(): Pick<KnownToRun, 'shown' | 'recorded'> {
    return { shown: [...this.#offered, ...this.#live], recorded: this.#recorded }
  }

  get shown(): (ShownMemory & { at: number })[] {
    const atStart = this.#isShown ? this.#offered.map((memory) => ({ ...memory, at: -Infinity })) : []
    return [...atStart, ...this.#live]
  }

  /** Asks what the agent was shown during the run. Leaves out what the store does not report in time. */
  async readLive(): Promise<void> {
    const { store, boundMs, target } = this.#options
    const { identifiers, session } = target
    if (this.#isDead) return
    await this.#warmed()
    this.#live = await store.request('live', { identifiers, session }, { boundMs }).catch(() => {
      this.#isLocked = true
      return []
    })
  }

  /** These memories may reach the agent. If it repeats them, that confirms nothing. */
  offer(memories: readonly ShownMemory[]): void {
    this.#offered = [...memories]
  }

  recordShown({ entries, omitted }: Pick<Shown, 'entries' | 'omitted'>, format: 'file' | 'operational'): void {
    const { target, remember } = this.#options
    this.#isShown = true
    if (!remember || entries.length === 0) return
    const { identifiers, session } = target
    this.#record('recordShowing', { identifiers, session, format, entries, omitted, at: new Date().toISOString() })
  }

  /** Delivers the rest of what earlier runs spooled, while the agent works. */
  #deliverRest(): void {
    this.#options.store.request('deliver', { ms: DELIVERY_MS }, { boundMs: DELIVERY_BOUND_MS }).then(
      ({ failures, more }) => {
        tellFailures(failures, this.#options)
        if (more && !this.#finished) this.#deliverRest()
      },
      // The run's own records reach the same store and report its problems.
      () => {},
    )
  }

  remember(said: Candidate): void {
    const { warn } = this.#options
    const { about, ...target } = this.#options.target
    const isAbout = about !== undefined && (said.layer === 'task' || said.layer === 'section')
    const candidate = isAbout ? { ...said, identifiers: { ...about, ...said.identifiers } } : said
    const guarded = guardCandidate(candidate, { maxLength: LIMITS.content })
    const refused = 'refused' in guarded ? guarded.refused : whyUnaddressed(candidate, target)
    if ('refused' in guarded || refused !== null) {
      this.#refuse(candidate, refused!)
      return
    }
    this.#redacted += guarded.redactions.reduce((sum, { count }) => sum + count, 0)
    const named = nameDeclared(guarded.candidate, this.#offered)
    this.#recorded.push(named)
    const isOffered = !this.#isShown && this.#offered.length > 0
    const offered = isOffered ? { offered: this.#offered.map(({ id }) => id) } : {}
    void this.#outbox.post('remember', { candidate: named, ...target, ...offered }).then((fate) => {
      if ('refused' in fate) return this.#refuse(named, fate.refused)
      this.#outcomes.push(...fate.value)
      for (const { kind, reason } of fate.value) if (kind === 'refuse') warn(`not remembered: ${reason}`)
    })
  }

  /** Does not repeat the words: they may be why it was refused. */
  #refuse({ category, service }: Candidate, reason: string): void {
    this.#options.warn(`not remembered: ${reason}`)
    this.#refusals.push({ reason, excerpt: '' })
    const nothing = { memory: null, confidence: null, held: false, corrects: [] }
    this.#outcomes.push({ kind: 'refuse', reason, content: '', category, service, ...nothing })
  }

  /** Final step: stores the rest within the bound and leaves what remains in the spool. */
  async finish(end: CallInput<'endSession'>, refused: readonly Refusal[]): Promise<StoreReport> {
    const { store, remember, boundMs, warn } = this.#options
    this.#finished = true
    await this.#warmed()
    const refusals = [...refused, ...this.#refusals].slice(0, LIMITS.refusals)
    if (remember) this.#record('endSession', { ...end, ...(refusals.length === 0 ? {} : { refusals }) })
    // A dead store is not waited for again: everything is spooled.
    const drained = await this.#drain(this.#isDead ? 0 : boundMs - SPOOL_MS)
    // The next run and spool delivery need not wait for a hung process.
    if (!drained) await store.reset()
    const left = await this.#outbox.close(SPOOL_MS)
    const observations = (calls: readonly string[]) => calls.filter((call) => call === 'remember').length
    const report = {
      outcomes: this.#outcomes,
      spooled: observations(left.spooled),
      lost: observations(left.lost),
      redacted: this.#redacted,
      shownMemories: [...(this.#isShown ? this.#offered : []), ...this.#live],
      offeredMemories: this.#isShown ? [] : this.#offered,
    }
    if (report.spooled + report.lost === 0 && left.spooled.length + left.lost.length > 0) {
      warn(`the record of the run ${left.lost.length > 0 ? 'is lost' : 'is spooled'}: ${this.why}`)
    }
    return report
  }

  /** The bound applies to a store that accepts nothing; a slow but working one gets longer. */
  async #drain(boundMs: number): Promise<boolean> {
    const { left } = deadline(MOST_DRAIN_MS)
    for (;;) {
      const before = this.#outbox.delivered
      if (await this.#outbox.drain(Math.min(boundMs, left()))) return true
      if (this.#outbox.delivered === before || left() === 0) return false
    }
  }

  /** Records that are not observations and should never be refused. */
  #record<Name extends PostedCall>(call: Name, input: CallInput<Name>): void {
    void this.#outbox.post(call, input).then((fate) => {
      if ('refused' in fate) this.#options.warn(`the run is not fully recorded: ${fate.refused}`)
    })
  }

  get why(): string {
    return this.#outbox.failure ?? 'The store did not accept it.'
  }
}

/** An agent that quotes a memory it was shown means that memory, wherever it is stored. */
function nameDeclared(candidate: Candidate, shown: readonly ShownMemory[]): Candidate {
  const { declares, service } = candidate
  if (declares === undefined || declares.memory !== undefined) return candidate
  const meant = shown.filter((memory) => isSameText(memory, { content: declares.text, service }))
  return meant.length === 1 ? { ...candidate, declares: { ...declares, memory: meant[0]!.id } } : candidate
}

/** A suggestion may name a task or section unknown to the run. It is refused here, where someone reads the reason. */
function whyUnaddressed(candidate: Candidate, { identifiers, layer }: RunTarget): string | null {
  const known = { ...identifiers, ...candidate.identifiers }
  try {
    scopeOf(layer ?? candidate.layer ?? landingLayer(candidate.category, known), known)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
