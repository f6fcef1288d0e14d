import type { RetryPolicy } from '../model/retry.ts'
import { withRetry } from '../model/retry.ts'
import { COLLECTIONS } from '../storage/documents.ts'
import type { Storage } from '../storage/storage.ts'
import { reconcileDocuments } from './documents.ts'
import type { Finding } from './findings.ts'
import type { Journal } from './journal.ts'
import { EVENTS, HISTORY, INJECTIONS, type Kind, memories, SESSIONS } from './kinds.ts'
import { type OnProgress, type Pass, reconcile } from './reconcile.ts'
import { repairEvents, repairHistory, repairInjections, repairMemories, repairSessions } from './repairs.ts'
import { type KindReport, toReport } from './report.ts'
import { type Refusal, Target } from './target.ts'

/** Rounds before it reports that the source keeps changing. */
const MOST_ROUNDS = 20

export interface MigrateOptions {
  /** Both initialized with the same model, and validated. */
  source: Storage
  target: Storage
  vectors: boolean
  journal: Journal
  retry: RetryPolicy
  signal: AbortSignal
  onProgress: OnProgress
}

export interface Migration {
  /** Everything in the source is in the target, by count and checksum. */
  verified: boolean
  /** The last round found nothing to copy. */
  settled: boolean
  rounds: number
  /** Writes that changed something in the target. */
  written: number
  kinds: Record<Kind, KindReport>
  /** What the target does not accept. */
  refused: Refusal[]
}

/**
 * Copies everything from one store to another, in rounds, until a round finds nothing to copy, so that concurrent writes to the source
 * are included. Each round compares both stores completely; the last one is the proof.
 */
export async function migrate(options: MigrateOptions): Promise<Migration> {
  const { source, vectors, signal, journal, retry, onProgress } = options
  const attempt = <T>(work: () => Promise<T>) => withRetry(retry, work)
  const target = new Target(options.target, { attempt, signal })
  let written = 0
  for (let round = 1; ; round++) {
    const findings = new Map<Kind, Finding>()
    const pass: Pass = { source, target, vectors, attempt, signal, findings, onProgress }
    const changed = await runRound(pass, journal)
    written += changed
    if (changed > 0 && round < MOST_ROUNDS) continue
    const kinds = toReport(findings)
    const verified = changed === 0 && Object.values(kinds).every((kind) => kind.same)
    return { verified, settled: changed === 0, rounds: round, written, kinds, refused: [...target.refused.values()] }
  }
}

/** Sessions before memories, memories before records that refer to them. Returns how much was written. */
async function runRound(pass: Pass, journal: Journal): Promise<number> {
  for (const collection of COLLECTIONS) await reconcileDocuments(pass, collection, journal)
  await reconcile(pass, SESSIONS, repairSessions(pass))
  const { items } = await pass.attempt(() => pass.target.storage.changes({ memory: null, after: null, limit: 1 }))
  await reconcile(pass, memories(pass.vectors), repairMemories(pass, items.length > 0))
  await reconcile(pass, HISTORY, repairHistory(pass))
  await reconcile(pass, INJECTIONS, repairInjections(pass))
  await reconcile(pass, EVENTS, repairEvents(pass))
  return pass.target.takeChanged()
}
