import { guardCandidate } from '../../guard/guard.ts'
import type { Candidate } from '../../model/candidate.ts'
import { type Identifiers, scopeOf } from '../../model/layer.ts'
import type { Session } from '../../model/records.ts'
import type { Shown, Told } from '../../remote/keeper.ts'
import { KeeperClient, type KeeperCommand } from '../../remote/keeper-client.ts'
import { Spool, type SpoolRecord, type SpoolTarget } from '../../remote/spool.ts'
import type { InjectionRecord } from '../../storage/storage.ts'
import { deadline, within } from './bound.ts'

export interface RunStoreOptions {
  keeper: KeeperCommand
  spoolFolders: readonly string[]
  /** Milliseconds that the store may cost before the agent starts, and again after it has ended. */
  boundMs: number
  target: SpoolTarget
  warn(text: string): void
}

/** What the store knows of a run when it ends. */
export interface StoreReport {
  outcomes: Told[]
  /** Observations that wait in the spool. */
  spooled: number
  /** Observations that could be written nowhere. */
  lost: number
  /** Secrets that were taken out of observations. */
  redacted: number
}

/** Agents say several things at once: together they cost one transaction. */
const BATCH_WAIT_MS = 50
const BATCH_SIZE = 20
const RETRY_MS = 5000
/** Kept of the bound for the spool: the last chance of what the run learned. */
const SPOOL_MS = 250

/**
 * The store as a run sees it: never in the way. Every observation is written to the spool before the store is asked, and
 * the spool goes when the store has them all. So nothing is lost with the store down, nor with this process killed.
 */
export class RunStore {
  readonly #options: RunStoreOptions
  readonly #keeper: KeeperClient
  readonly #spool: Spool
  readonly #outcomes: Told[] = []
  readonly #pending: Candidate[] = []
  #begun = false
  #unrecorded: InjectionRecord | null = null
  #stored = 0
  #redacted = 0
  #inFlight: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #failure: string | null = null
  #spoolFailure: string | null = null

  constructor(options: RunStoreOptions) {
    this.#options = options
    this.#keeper = new KeeperClient(options.keeper)
    this.#spool = new Spool(options.spoolFolders, options.target.session)
  }

  /** What the agent is to be shown; null when the store does not say in time. */
  async begin(session: Session, identifiers: Identifiers, format: 'file' | 'operational'): Promise<Shown | null> {
    let seen: Shown | null = null
    const looking = this.#keeper.request({ kind: 'look', identifiers, format }).then(
      (shown) => {
        seen = shown
      },
      (error: Error) => this.#fail(error),
    )
    const begun = this.#keeper.request({ kind: 'begin', identifiers, format, session })
    begun.then(
      () => {
        this.#begun = true
      },
      (error: Error) => this.#fail(error),
    )
    const result = await within(begun, this.#options.boundMs)
    if (result !== null) return result.value
    await within(looking, 0)
    this.#failure ??= `it did not answer within ${this.#options.boundMs / 1000} s`
    const shown = seen as Shown | null
    if (shown !== null && shown.entries.length > 0) {
      this.#unrecorded = { session: session.id, format, at: session.startedAt, entries: shown.entries }
    }
    this.#options.warn(
      `the store is not available: ${this.#failure.replace(/\.$/, '')}. The agent starts ${shown ? 'all the same' : 'without its memory'}.`,
    )
    return shown
  }

  /** Hands over what earlier runs left in the spool, while the agent works. */
  deliverEarlier(): void {
    this.#keeper.request({ kind: 'deliver' }).then(
      ({ failures }) => {
        for (const failure of failures) this.#options.warn(`an earlier run stays in the spool: ${failure}`)
      },
      (error: Error) => this.#fail(error),
    )
  }

  remember(candidate: Candidate): void {
    const guarded = guardCandidate(candidate, { maxLength: Number.POSITIVE_INFINITY })
    const refused = 'refused' in guarded ? guarded.refused : whyUnaddressed(candidate, this.#options.target)
    if ('refused' in guarded || refused !== null) {
      this.#options.warn(`not remembered: ${refused}`)
      return
    }
    this.#redacted += guarded.redactions.reduce((sum, { count }) => sum + count, 0)
    this.#write([{ kind: 'remember', candidate: guarded.candidate, target: this.#options.target }])
    this.#pending.push(guarded.candidate)
    this.#flushIn(BATCH_WAIT_MS)
  }

  /** The last words: stores what is left within the bound, and leaves the rest in the spool. */
  async finish(session: Session): Promise<StoreReport> {
    const after = deadline(this.#options.boundMs)
    const told = await within(this.#tellAll(session), after.left() - SPOOL_MS)
    const left = this.#pending.length
    // Ended first: whoever delivers the spool must not meet a store that still takes the same from here.
    await this.#keeper.close(told === null ? 0 : after.left())
    await within(told === null ? this.#keepForLater(session) : this.#spool.discard(), after.left() + SPOOL_MS)
    const lost = this.#spoolFailure === null ? 0 : left
    return { outcomes: this.#outcomes, spooled: left - lost, lost, redacted: this.#redacted }
  }

  /** For a run that never was. */
  async abandon(): Promise<void> {
    await this.#keeper.close(0)
  }

  async #tellAll(session: Session): Promise<void> {
    while (this.#pending.length > 0) {
      const before = this.#pending.length
      await this.#flush()
      if (this.#pending.length === before) throw new Error(this.#failure ?? 'The store does not take it.')
    }
    if (this.#unrecorded !== null && !this.#begun) {
      await this.#keeper.request({ kind: 'record', injection: this.#unrecorded })
      this.#unrecorded = null
    }
    await this.#keeper.request({ kind: 'end', session })
  }

  async #keepForLater(session: Session): Promise<void> {
    const records: SpoolRecord[] = [{ kind: 'session', session }]
    if (this.#unrecorded !== null && !this.#begun) records.push({ kind: 'injection', injection: this.#unrecorded })
    if (this.#stored > 0) records.push({ kind: 'stored', count: this.#stored })
    await this.#write(records)
    await this.#spool.release().catch((error: Error) => this.#failSpool(error))
  }

  #flushIn(ms: number): void {
    this.#timer ??= setTimeout(() => void this.#flush(), ms).unref()
  }

  /** One batch at a time, so that a correction never overtakes what it corrects. */
  async #flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#inFlight !== null) return this.#inFlight
    const batch = this.#pending.slice(0, BATCH_SIZE)
    if (batch.length === 0) return
    this.#inFlight = this.#keeper.request({ kind: 'remember', candidates: batch, target: this.#options.target }).then(
      (told) => {
        this.#pending.splice(0, batch.length)
        this.#stored += batch.length
        this.#outcomes.push(...told)
        this.#inFlight = null
        if (this.#pending.length > 0) this.#flushIn(0)
      },
      (error: Error) => {
        this.#inFlight = null
        this.#fail(error)
        this.#flushIn(RETRY_MS)
      },
    )
    return this.#inFlight
  }

  #write(records: readonly SpoolRecord[]): Promise<void> {
    return this.#spool.append(records).then(
      // It has everything then, also what it could not take before.
      () => {
        this.#spoolFailure = null
      },
      (error: Error) => this.#failSpool(error),
    )
  }

  #fail(error: Error): void {
    this.#failure ??= error.message
  }

  #failSpool(error: Error): void {
    this.#spoolFailure ??= error.message
  }

  get failure(): string | null {
    return this.#failure
  }
}

/** A suggestion may name a task or section that the run does not know. Alone it is refused; in a batch it would fail them all. */
function whyUnaddressed(candidate: Candidate, { identifiers, layer }: SpoolTarget): string | null {
  const known = { ...identifiers, ...candidate.identifiers }
  try {
    scopeOf(layer ?? candidate.layer ?? (known.agentId === undefined ? 'project' : 'agent'), known)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
