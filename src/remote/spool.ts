import { chmod, type FileHandle, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import { HEARTBEAT_MS, newSpoolName, type SpoolRecord, spoolPath, toSpoolLine } from './spool-file.ts'

interface SpoolFile {
  handle: FileHandle
  folder: string
  path: string
  name: string
  /** Bytes of complete lines. */
  size: number
  keys: Set<string>
  heartbeat: NodeJS.Timeout
}

/**
 * What one process has written but the store does not have yet. Every record is on disk when `append` resolves. The
 * file is created with the first record and removed when the store has them all; the next record starts a new file. If a
 * folder's disk is full, the next folder is used.
 */
export class Spool {
  readonly #folders: readonly string[]
  /** Lines that the store does not have yet, by key. Kept in memory, because a file that moves to another folder needs them all. */
  readonly #lines = new Map<string, string>()
  #file: SpoolFile | null = null
  #queue: Promise<void> = Promise.resolve()

  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** Rejects if no folder accepts the records; they are then written with the next ones. A record that is too long is refused. */
  async append(records: readonly SpoolRecord[]): Promise<void> {
    const lines = records.map((record) => [record.key, toSpoolLine(record)] as const)
    await this.#inTurn(async () => {
      for (const [key, line] of lines) this.#lines.set(key, line)
      await this.#write()
    })
  }

  /** The store has this record, or will never accept it. */
  settle(key: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#lines.delete(key)
      if (this.#lines.size === 0) await this.#close(({ path }) => rm(path, { force: true }))
    })
  }

  /** Leaves what the store does not have for the next process to deliver. */
  release(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#lines.size > 0) await this.#write()
      await this.#close(({ folder, name, path }) => rename(path, spoolPath(folder, name, 'ready')))
    })
  }

  async #write(): Promise<void> {
    const file = this.#file
    const failure = file === null ? null : await tryTo(() => this.#add(file))
    if (file === null || failure !== null) await this.#begin(failure)
  }

  /** Writes everything to the first folder that accepts it. If none does, earlier files stay. */
  async #begin(failure: Error | null): Promise<void> {
    const before = this.#file
    let reason = failure
    const folders =
      failure instanceof TakenAway || before === null ? this.#folders : after(this.#folders, before.folder)
    for (const folder of folders) {
      reason = await tryTo(async () => {
        this.#file = await this.#open(folder)
      })
      if (reason !== null) continue
      if (before !== null) await tryTo(() => drop(before))
      return
    }
    throw reason ?? new MemoryError('CONFIGURATION_ERROR', 'There is no folder for a spool.')
  }

  async #open(folder: string): Promise<SpoolFile> {
    await prepareFolder(folder)
    const name = newSpoolName()
    const path = spoolPath(folder, name, 'open')
    // Exclusive: never writes to another process's file.
    const handle = await open(path, 'wx', 0o600)
    const heartbeat = setInterval(() => touch(handle), HEARTBEAT_MS).unref()
    const file = { handle, folder, path, name, size: 0, keys: new Set<string>(), heartbeat }
    try {
      await this.#add(file)
      return file
    } catch (error) {
      await tryTo(() => drop(file))
      throw error
    }
  }

  async #add(file: SpoolFile): Promise<void> {
    const added = [...this.#lines].filter(([key]) => !file.keys.has(key))
    const bytes = Buffer.from(added.map(([, line]) => line).join(''))
    try {
      await file.handle.appendFile(bytes)
      await file.handle.sync()
    } catch (error) {
      // Half a line would corrupt the next one.
      await tryTo(() => file.handle.truncate(file.size))
      throw error
    }
    // After a long sleep, another process may have considered this one dead and claimed its file, including what was written before.
    if (!(await exists(file.path))) throw new TakenAway()
    file.size += bytes.length
    for (const [key] of added) file.keys.add(key)
  }

  async #close(finish: (file: SpoolFile) => Promise<void>): Promise<void> {
    const file = this.#file
    if (file === null) return
    this.#file = null
    clearInterval(file.heartbeat)
    await file.handle.close()
    await finish(file).catch(unlessMissing)
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => {})
    return result
  }
}

/** Another process is delivering our file. */
class TakenAway extends Error {}

/** Readable only by its owner, and ignored by git, including a project's own `.nokosu` if this creates it. */
async function prepareFolder(folder: string): Promise<void> {
  const parent = dirname(folder)
  const created = await mkdir(parent, { recursive: true, mode: 0o700 })
  if (created !== undefined && basename(parent) === '.nokosu') await ignoreAll(parent)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Created by an earlier version. Another user's folder stays as it is.
  await chmod(folder, 0o700).catch(() => {})
  await ignoreAll(folder)
}

async function ignoreAll(folder: string): Promise<void> {
  await writeFile(join(folder, '.gitignore'), '*\n')
}

async function drop({ handle, path, heartbeat }: SpoolFile): Promise<void> {
  clearInterval(heartbeat)
  await handle.close()
  await rm(path, { force: true })
}

/** The next beat makes up for a missed one. A file that cannot be touched is delivered early, which does no harm. */
function touch(handle: FileHandle): void {
  const now = new Date()
  handle.utimes(now, now).catch(() => {})
}

function after(folders: readonly string[], folder: string): readonly string[] {
  return folders.slice(folders.indexOf(folder) + 1)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Null on success. */
async function tryTo(work: () => Promise<void>): Promise<Error | null> {
  try {
    await work()
    return null
  } catch (error) {
    return error as Error
  }
}
