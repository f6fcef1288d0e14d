import { z } from 'zod'
import { MemoryError } from '../model/errors.ts'
import { text } from '../model/fields.ts'
import { parseJson } from '../text/json.ts'
import { type CallName, type OutcomeSummary, perform, type Served } from './protocol.ts'
import { isRefusal } from './refusal.ts'
import type { SpoolRecord } from './spool-file.ts'

export interface DeliveredRecords {
  delivered: number
  /** Each unusable line, as found. */
  rejected: { reason: string; line: string }[]
  /**
   * Null if nothing is left to deliver. `reason` is null if only time ran out. `done`: lines delivered
   * or rejected, counted from 0. `isForeign`: needs another token, for its own project or agent.
   */
  left: { reason: string | null; done: number[]; isForeign?: boolean } | null
}

/** What a process spools: writes. */
const SPOOLED = ['beginSession', 'endSession', 'recordShowing', 'remember', 'record'] as const satisfies CallName[]
const recordSchema = z.strictObject({ key: text(128), call: z.enum(SPOOLED), input: z.unknown() })

/** What an interrupted delivery leaves behind. */
const doneSchema = z.strictObject({ done: z.array(z.int().min(0)) })

/** Consecutive records with a permanent failure before the rest is left for later. */
const MOST_SUSPECTS = 3

/**
 * Delivers the records of a spool file in order. An unusable record does not block the others. A temporary failure
 * ends the delivery, so that no correction overtakes what it corrects. A record with a permanent failure is skipped; once
 * the store accepts a later one, the store works, and the skipped record counts as rejected.
 */
export async function deliverRecords(
  served: Served,
  content: string,
  isOver: () => boolean,
): Promise<DeliveredRecords> {
  const lines = content.split('\n')
  const done = readDone(lines)
  const report: DeliveredRecords = { delivered: 0, rejected: [], left: null }
  let suspects: { index: number; reason: string }[] = []
  for (const [index, line] of lines.entries()) {
    if (line === '' || done.has(index) || isDone(line)) continue
    if (isOver()) {
      report.left = { reason: null, done: [...done] }
      return report
    }
    const fate = await deliverLine(served, line, index === lines.length - 1)
    if (fate.kind === 'failed' && fate.isForeign) {
      report.left = { reason: fate.reason, done: [...done], isForeign: true }
      return report
    }
    if (fate.kind === 'failed' && (fate.retryable || suspects.length + 1 >= MOST_SUSPECTS)) {
      report.left = { reason: fate.reason, done: [...done] }
      return report
    }
    if (fate.kind === 'failed') {
      suspects.push({ index, reason: fate.reason })
      continue
    }
    done.add(index)
    if (fate.kind === 'rejected') report.rejected.push({ reason: fate.reason, line })
    if (fate.kind !== 'delivered') continue
    report.delivered++
    for (const { index: at, reason } of suspects) {
      report.rejected.push({ reason, line: lines[at]! })
      done.add(at)
    }
    suspects = []
  }
  if (suspects.length > 0) report.left = { reason: suspects[0]!.reason, done: [...done] }
  return report
}

type Fate =
  | { kind: 'delivered' | 'unfinished' }
  | { kind: 'rejected'; reason: string }
  | { kind: 'failed'; reason: string; retryable: boolean; isForeign: boolean }

async function deliverLine(served: Served, line: string, isLast: boolean): Promise<Fate> {
  const json = parseJson(line)
  // Its process died while writing the line and never relied on it.
  if (!json.ok && isLast) return { kind: 'unfinished' }
  if (!json.ok) return { kind: 'rejected', reason: 'it is not JSON.' }
  const record = recordSchema.safeParse(json.value)
  if (!record.success) return { kind: 'rejected', reason: 'it is not a spool record.' }
  try {
    const value = await perform(served, record.data satisfies SpoolRecord)
    const refused = Array.isArray(value) ? (value as OutcomeSummary[]).find(({ kind }) => kind === 'refuse') : undefined
    if (refused !== undefined) return { kind: 'rejected', reason: refused.reason }
    return { kind: 'delivered' }
  } catch (error) {
    if (isRefusal(error)) return { kind: 'rejected', reason: (error as Error).message }
    const known = MemoryError.is(error) ? error : null
    // If two projects use one session id, only this record is affected, whoever delivers it.
    const isForeign = known?.code === 'UNAUTHORIZED' && known.details.session === undefined
    return { kind: 'failed', reason: (error as Error).message, retryable: known?.retryable ?? false, isForeign }
  }
}

function readDone(lines: readonly string[]): Set<number> {
  return new Set(lines.flatMap((line) => readDoneLine(line) ?? []))
}

function isDone(line: string): boolean {
  return readDoneLine(line) !== null
}

function readDoneLine(line: string): number[] | null {
  if (!line.startsWith('{"done":')) return null
  const json = parseJson(line)
  const parsed = json.ok ? doneSchema.safeParse(json.value) : null
  return parsed?.success ? parsed.data.done : null
}
