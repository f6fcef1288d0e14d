import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, utimes } from 'node:fs/promises'
import type { Nokosu } from '../engine/nokosu.ts'
import { deadline } from './bound.ts'
import type { DeliveryReport, Served } from './protocol.ts'
import { HEARTBEAT_MS, rejectedPath, type SpoolState, spoolPath } from './spool-file.ts'
import { deliverRecords } from './spool-records.ts'
import { waitingIn } from './spool-waiting.ts'

/** Consecutive files that may fail before the rest is left for later: each may cost a full lock timeout. */
const MOST_FAILED_FILES = 3

/** Enough for all but a large spool; the next delivery continues. */
const DELIVERY_MS = 2000

/**
 * Delivers what earlier processes could not, for about this many milliseconds. Many processes may do this at once, and each may be killed at any moment: a
 * file is claimed by renaming it, and a record that was delivered before changes nothing.
 */
export async function deliverSpool(
  engine: Nokosu,
  folders: readonly string[],
  ms = DELIVERY_MS,
): Promise<DeliveryReport> {
  const report: DeliveryReport = { delivered: 0, rejected: 0, failures: [], more: false }
  const { left } = deadline(ms)
  // A spooled record that asks for a delivery is refused.
  const served: Served = { engine, deliver: () => Promise.reject(new Error('The spool is being delivered.')) }
  let failedFiles = 0
  for (const { folder, name, state } of await waitingIn(folders)) {
    if (failedFiles >= MOST_FAILED_FILES || report.more) return report
    const claimed = await claim(folder, name, state)
    if (claimed === null) continue
    if (!(await deliverFile(served, { folder, name, path: claimed }, report, () => left() === 0))) failedFiles++
  }
  return report
}

/** Delivers everything that waits, however long it takes, unless the store fails. */
export async function deliverWholeSpool(engine: Nokosu, folders: readonly string[]): Promise<DeliveryReport> {
  const whole: DeliveryReport = { delivered: 0, rejected: 0, failures: [], more: false }
  for (;;) {
    const { delivered, rejected, failures, more } = await deliverSpool(engine, folders)
    whole.delivered += delivered
    whole.rejected += rejected
    whole.failures.push(...failures)
    whole.more = more
    if (!more || delivered + rejected === 0) return whole
  }
}

/** Only one of several competing processes gets the file, under a unique new name. */
async function claim(folder: string, name: string, state: SpoolState): Promise<string | null> {
  const claimed = spoolPath(folder, name, `taken-${randomUUID()}`)
  const path = spoolPath(folder, name, state)
  try {
    // First: a claimed file with an old time could be claimed from us at once.
    await touch(path)
    await rename(path, claimed)
    return claimed
  } catch {
    return null
  }
}

interface Claimed {
  folder: string
  name: string
  path: string
}

/** False if part of it stays, which suggests that later files would fail too. */
async function deliverFile(
  served: Served,
  file: Claimed,
  report: DeliveryReport,
  isOver: () => boolean,
): Promise<boolean> {
  const { folder, name, path } = file
  const heartbeat = setInterval(() => void touch(path).catch(() => {}), HEARTBEAT_MS)
  try {
    const content = await readFile(path, 'utf8')
    const { delivered, rejected, left } = await deliverRecords(served, content, isOver)
    report.delivered += delivered
    if (rejected.length > 0) {
      const place = rejectedPath(folder, name)
      await appendLines(place, rejected)
      report.rejected += rejected.length
      for (const { reason } of rejected) report.failures.push(`a record was set aside in ${place}: ${reason}`)
    }
    if (left === null) {
      await rm(path, { force: true })
      return true
    }
    // So that the next delivery does not start over.
    if (left.done.length > 0) await appendLines(path, [{ done: left.done }])
    report.more ||= left.reason === null
    const done = await giveBack(file, left.reason, report)
    // The store works, but does not accept this record from this token.
    return left.isForeign === true || done
  } catch (error) {
    return await giveBack(file, (error as Error).message, report)
  } finally {
    clearInterval(heartbeat)
  }
}

async function giveBack(
  { folder, name, path }: Claimed,
  reason: string | null,
  report: DeliveryReport,
): Promise<false> {
  const ready = spoolPath(folder, name, 'ready')
  // If even this fails, the file counts as abandoned after a while.
  const place = await rename(path, ready).then(
    () => ready,
    () => path,
  )
  if (reason !== null) report.failures.push(`${place} was not delivered: ${reason}`)
  return false
}

/** Starts on a new line: the previous one may be incomplete. */
async function appendLines(path: string, values: readonly unknown[]): Promise<void> {
  const handle = await open(path, 'a', 0o600)
  try {
    await handle.appendFile(values.map((value) => `\n${JSON.stringify(value)}\n`).join(''))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date()
  await utimes(path, now, now)
}
