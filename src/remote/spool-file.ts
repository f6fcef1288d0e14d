import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import type { StoreRequest } from './protocol.ts'

/** One line of a spool file: a call for the store to carry out, with everything it needs. */
export interface SpoolRecord extends Omit<StoreRequest, 'id'> {
  key: string
}

/**
 * The states of a spool file, in its name. `open`: its process is alive and writes to it. `ready`: to be delivered. `taken`:
 * being delivered. An open or taken file that nobody has touched for {@link ABANDONED_MS} belongs to a process that
 * has ended.
 */
export type SpoolState = 'open' | 'ready' | `taken-${string}`

export const ABANDONED_MS = 15_000
export const HEARTBEAT_MS = 4000

/** Maximum bytes of one record. A longer one is refused when it is written, never dropped when it is read. */
export const MOST_RECORD_BYTES = 4 << 20

/** Throws CONTENT_TOO_LONG. */
export function toSpoolLine(record: SpoolRecord): string {
  const line = `${JSON.stringify(record)}\n`
  if (Buffer.byteLength(line) <= MOST_RECORD_BYTES) return line
  throw new MemoryError('CONTENT_TOO_LONG', `A record has at most ${MOST_RECORD_BYTES} bytes.`, {
    details: { maxLength: MOST_RECORD_BYTES },
  })
}

/** A name that is unique across processes. Names sort by creation time. */
export function newSpoolName(): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '')
  return `${time}-${process.pid}-${randomBytes(6).toString('hex')}`
}

export function spoolPath(folder: string, name: string, state: SpoolState): string {
  return join(folder, `${name}.${state}.jsonl`)
}

/** Next to the file: its unusable records, each with the reason. Never delivered. */
export function rejectedPath(folder: string, name: string): string {
  return join(folder, `${name}.rejected`)
}

const NAME = /^(.+)\.(open|ready|taken-[0-9a-f-]+)\.jsonl$/

export function readSpoolName(file: string): { name: string; state: SpoolState } | null {
  const [, name, state] = NAME.exec(file) ?? []
  return name === undefined ? null : { name, state: state as SpoolState }
}
