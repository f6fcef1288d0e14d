import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RememberTarget } from '../engine/remember.ts'
import type { Candidate } from '../model/candidate.ts'
import type { Session } from '../model/records.ts'
import type { InjectionRecord } from '../storage/storage.ts'

/** One line of a spool file: something that a run wanted the store to know. */
export type SpoolRecord =
  | { kind: 'session'; session: Session }
  | { kind: 'injection'; injection: InjectionRecord }
  | { kind: 'remember'; candidate: Candidate; target: SpoolTarget }
  /** The store has taken the first `count` candidates of this file. */
  | { kind: 'stored'; count: number }

export type SpoolTarget = Pick<RememberTarget, 'identifiers' | 'layer' | 'tier'> & { session: string }

/**
 * The states of a spool file, in its name. `open`: its run is alive and writes to it. `ready`: to be delivered. `taken`:
 * someone is delivering it. An open or taken file that nobody has touched for {@link ABANDONED_MS} belongs to a process
 * that is gone.
 */
export type SpoolState = 'open' | 'ready' | `taken-${string}`

export const ABANDONED_MS = 15_000
const HEARTBEAT_MS = 4000

/** A file name that any session id can have, and that tells nothing of it. */
function spoolKey(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 24)
}

export function spoolFileName(key: string, state: SpoolState): string {
  return `${key}.${state}.jsonl`
}

interface SpoolFile {
  handle: FileHandle
  folder: string
  /** Bytes that it had before us: of a run that was killed in the same session. */
  start: number
  /** Bytes that are whole lines. */
  size: number
  /** Lines of ours that it has. */
  lines: number
}

/**
 * What one run could not deliver yet. Every record is on the disk when `append` resolves. The file appears with the first
 * record, and `discard` takes it away when the store has everything. A folder whose disk is full gives way to the next one.
 */
export class Spool {
  readonly #folders: readonly string[]
  readonly #key: string
  /** Kept, because a file that moves to another folder must have them all. */
  readonly #lines: string[] = []
  #file: SpoolFile | null = null
  #heartbeat: NodeJS.Timeout | null = null
  #queue: Promise<void> = Promise.resolve()

  constructor(folders: readonly string[], session: string) {
    this.#folders = folders
    this.#key = spoolKey(session)
  }

  append(records: readonly SpoolRecord[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#lines.push(...records.map((record) => `${JSON.stringify(record)}\n`))
      const file = this.#file
      const failure = file === null ? null : await tryTo(() => write(file, this.#lines))
      if (file === null || failure !== null) await this.#begin(failure)
    })
  }

  /** Leaves the file for whoever comes next to deliver. */
  release(): Promise<void> {
    return this.#close(({ folder }) => rename(this.#path(folder, 'open'), this.#path(folder, 'ready')))
  }

  discard(): Promise<void> {
    return this.#close(({ folder }) => rm(this.#path(folder, 'open'), { force: true }))
  }

  #close(finish: (file: SpoolFile) => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      const file = this.#file
      if (file === null) return
      if (this.#heartbeat !== null) clearInterval(this.#heartbeat)
      this.#file = null
      await file.handle.close()
      await finish(file)
    })
  }

  /** Writes everything into the first folder that takes it. Where none does, what was written before stays. */
  async #begin(failure: Error | null): Promise<void> {
    const before = this.#file
    let reason = failure
    for (const folder of this.#folders.slice(before === null ? 0 : this.#folders.indexOf(before.folder) + 1)) {
      reason = await tryTo(async () => {
        this.#file = await this.#open(folder)
      })
      if (reason !== null) continue
      if (before !== null) await tryTo(() => this.#drop(before))
      return
    }
    throw reason
  }

  async #open(folder: string): Promise<SpoolFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const handle = await open(this.#path(folder, 'open'), 'a', 0o600)
    const { size } = await handle.stat()
    const file = { handle, folder, start: size, size, lines: 0 }
    try {
      await writeFile(join(folder, '.gitignore'), '*\n')
      await write(file, this.#lines)
    } catch (error) {
      await this.#drop(file)
      throw error
    }
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat)
    this.#heartbeat = setInterval(() => this.#touch(file.handle), HEARTBEAT_MS).unref()
    return file
  }

  async #drop({ handle, folder, start }: SpoolFile): Promise<void> {
    if (start > 0) await handle.truncate(start)
    await handle.close()
    if (start === 0) await rm(this.#path(folder, 'open'), { force: true })
  }

  /** A missed beat is made up for by the next; a file that cannot be touched at all is delivered early, which does no harm. */
  #touch(handle: FileHandle): void {
    const now = new Date()
    handle.utimes(now, now).catch(() => {})
  }

  #path(folder: string, state: SpoolState): string {
    return join(folder, spoolFileName(this.#key, state))
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => {})
    return result
  }
}

/** Adds the lines that it does not have yet. */
async function write(file: SpoolFile, lines: readonly string[]): Promise<void> {
  const bytes = Buffer.from(lines.slice(file.lines).join(''))
  try {
    await file.handle.appendFile(bytes)
    await file.handle.sync()
    file.size += bytes.length
    file.lines = lines.length
  } catch (error) {
    // Half a line would spoil the one after it.
    await tryTo(() => file.handle.truncate(file.size))
    throw error
  }
}

/** Null when it worked. */
async function tryTo(work: () => Promise<void>): Promise<Error | null> {
  try {
    await work()
    return null
  } catch (error) {
    return error as Error
  }
}
