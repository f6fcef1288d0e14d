import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Nokosu } from '../engine/open-memory.ts'
import { parseJson } from '../text/json.ts'
import { ABANDONED_MS, type SpoolRecord, type SpoolState, spoolFileName } from './spool.ts'

export interface DeliveryReport {
  /** Runs whose records the store has now. */
  runs: number
  /** Observations that were handed to the store. */
  observations: number
  /** Runs that stay in the spool, and why. */
  failures: string[]
}

const NAME = /^([0-9a-f]{24})\.(open|ready|taken-[0-9a-f-]+)\.jsonl$/

/**
 * Hands over what earlier runs could not. Safe to run from many processes at once, and to be killed in between: a file is
 * claimed by renaming it, and what its session has left in the store already is not stored again.
 */
export async function deliverSpool(engine: Nokosu, folders: readonly string[]): Promise<DeliveryReport> {
  const report: DeliveryReport = { runs: 0, observations: 0, failures: [] }
  for (const folder of folders) {
    for (const { key, state } of await waiting(folder)) {
      const claimed = await claim(folder, key, state)
      if (claimed === null) continue
      try {
        report.observations += await deliverFile(engine, claimed)
        report.runs++
        await rm(claimed)
      } catch (error) {
        report.failures.push(error instanceof Error ? error.message : String(error))
        await rename(claimed, join(folder, spoolFileName(key, 'ready')))
      }
    }
  }
  return report
}

/** Whether anything waits, for a look that costs next to nothing. */
export async function hasSpooled(folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) if ((await waiting(folder)).length > 0) return true
  return false
}

interface Waiting {
  key: string
  state: SpoolState
}

async function waiting(folder: string): Promise<Waiting[]> {
  let names: string[]
  try {
    names = await readdir(folder)
  } catch {
    // No spool, or one that cannot be read: nothing can be delivered from here.
    return []
  }
  const found: Waiting[] = []
  for (const name of names.sort()) {
    const [, key, state] = NAME.exec(name) ?? []
    if (key === undefined) continue
    if (state === 'ready' || (await isAbandoned(join(folder, name)))) found.push({ key, state: state as SpoolState })
  }
  return found
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS
  } catch {
    // Its owner has just finished with it.
    return false
  }
}

/** Only one of several that try gets the file. */
async function claim(folder: string, key: string, state: SpoolState): Promise<string | null> {
  const claimed = join(folder, spoolFileName(key, `taken-${randomUUID()}`))
  const path = join(folder, spoolFileName(key, state))
  try {
    const now = new Date()
    // First: a taken file with an old time could be taken from us at once.
    await utimes(path, now, now)
    await rename(path, claimed)
    return claimed
  } catch {
    return null
  }
}

async function deliverFile(engine: Nokosu, path: string): Promise<number> {
  const records = readRecords(await readFile(path, 'utf8'))
  await deliverSession(engine, records)
  await deliverInjections(engine, records)
  return deliverCandidates(engine, records)
}

/** The last line may be cut off: its run died while writing it, and never counted on it. */
function readRecords(text: string): SpoolRecord[] {
  return text.split('\n').flatMap((line) => {
    const parsed = line === '' ? null : parseJson(line)
    return parsed?.ok ? [parsed.value as SpoolRecord] : []
  })
}

async function deliverSession({ storage }: Nokosu, records: readonly SpoolRecord[]): Promise<void> {
  const session = records.findLast((record) => record.kind === 'session')?.session
  if (session === undefined) return
  const known = await storage.getSession(session.id)
  if (session.endedAt === null && known !== null && known.endedAt !== null) return
  await storage.putSession(session)
}

async function deliverInjections({ storage }: Nokosu, records: readonly SpoolRecord[]): Promise<void> {
  for (const record of records) {
    if (record.kind !== 'injection') continue
    const { injection } = record
    const known = await storage.listInjections(injection.session)
    if (!known.some(({ format }) => format === injection.format)) await storage.recordInjection(injection)
  }
}

/** What the store has of this session already counts for nothing a second time: the engine sees to that. */
async function deliverCandidates(engine: Nokosu, records: readonly SpoolRecord[]): Promise<number> {
  const stored = Math.max(0, ...records.map((record) => (record.kind === 'stored' ? record.count : 0)))
  const left = records.filter((record) => record.kind === 'remember').slice(stored)
  if (left.length === 0) return 0
  const candidates = left.map(({ candidate }) => candidate)
  await engine.remember(candidates, left[0]!.target)
  return candidates.length
}
