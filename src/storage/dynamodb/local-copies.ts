import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import type { VectorModel } from '../storage.ts'
import type { DynamodbOptions } from './connection.ts'
import { type CopyContent, contentOf, FORMAT, partitionOfCopy } from './copy-content.ts'
import { FEED_SECONDS } from './feed.ts'
import type { HeldPartition } from './held-partition.ts'

/** The maximum total size of the copies of all stores. */
const MOST_BYTES = 512 * 1024 * 1024
/** A copy that is older cannot be brought up to date. */
const OLDEST_MS = FEED_SECONDS * 1000
/** After this time, a process that was writing has died. */
const DRAFT_MS = 3600_000
const DRAFT = '.draft'

/** The user's cache folder. */
function cacheFolder(env: NodeJS.ProcessEnv): string {
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME
  if (process.platform === 'win32' && env.LOCALAPPDATA) return env.LOCALAPPDATA
  return join(env.HOME || homedir(), '.cache')
}

/**
 * Copies of large partitions on this machine's disk, so that a new process need not read them again. Each is a file that
 * is replaced whole, so readers, writers and crashes do not disturb each other. Before a copy is used, the store is asked: its counter has the name of the
 * store's copies, and shows which feed entries a copy lacks.
 */
export class LocalCopies {
  readonly #store: string
  /** null if no copies are kept. */
  #folder: string | null

  constructor({ region, endpoint, prefix, cache, vectors }: DynamodbOptions) {
    // Two stores may have one address: see `CopyContent`.
    this.#store = digest(JSON.stringify([region, endpoint, prefix, ...(vectors ? [vectors.bucket] : [])]))
    this.#folder = cache === false ? null : (cache ?? join(cacheFolder(process.env), 'nokosu', 'dynamodb'))
  }

  has(partition: string): boolean {
    return this.#folder !== null && existsSync(this.#path(this.#folder, partition))
  }

  /** With the name it was given; null if there is none that this version can use. */
  async load(partition: string, model: VectorModel): Promise<{ name: string; held: HeldPartition } | null> {
    if (!this.has(partition)) return null
    const path = this.#path(this.#folder!, partition)
    const content = await unless(async () => read(path))
    if (!content) return null
    const isOurs = content.format === FORMAT && content.partition === partition
    const isOfModel = content.model.name === model.name && content.model.dimensions === model.dimensions
    if (!isOurs || !isOfModel || Date.now() - content.readAt > OLDEST_MS) return null
    // Copies in use are evicted last.
    await unless(() => utimes(path, new Date(), new Date(content.readAt)))
    return { name: content.name, held: partitionOfCopy(content) }
  }

  async save(held: HeldPartition, name: string, model: VectorModel): Promise<void> {
    if (this.#folder === null) return
    held.unsaved = 0
    const bytes = serialize(await contentOf(held, { name, model }))
    const folder = this.#folder
    const path = this.#path(folder, held.name)
    const draft = `${path}.${randomUUID()}${DRAFT}`
    const written = await unless(async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writev([checksum(bytes), bytes])
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
      await tidy(folder)
      return true
    })
    // No space or no permission: this process continues without copies.
    if (!written) {
      this.#folder = null
      await unless(() => rm(draft, { force: true }))
    }
  }

  /** Removes this store's copies from this machine. */
  async remove(): Promise<void> {
    const folder = this.#folder
    if (folder === null) return
    const names = (await unless(() => readdir(folder))) ?? []
    const own = names.filter((name) => name.startsWith(this.#store))
    await Promise.all(own.map((name) => rm(join(folder, name), { force: true })))
  }

  #path(folder: string, partition: string): string {
    return join(folder, `${this.#store}-${digest(partition)}`)
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(bytes))
  return sum
}

/** null if the file is not ours alone, or not whole. */
async function read(path: string): Promise<CopyContent | null> {
  const file = await open(path, 'r')
  try {
    const { uid, mode } = await file.stat()
    const isPrivate = process.platform === 'win32' || (uid === process.getuid!() && (mode & 0o077) === 0)
    if (!isPrivate) return null
    const bytes = await file.readFile()
    const body = bytes.subarray(4)
    return bytes.length > 4 && bytes.readUInt32LE() === crc32(body) ? (deserialize(body) as CopyContent) : null
  } finally {
    await file.close()
  }
}

/** Null if the file system refuses: another process may have removed the file, or the disk is full. */
async function unless<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return null
  }
}

/** Removes what is too old, what a crash left, and above `MOST_BYTES` the least recently used. */
async function tidy(folder: string): Promise<void> {
  const now = Date.now()
  const files: { path: string; size: number; usedAt: number }[] = []
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await unless(() => stat(path))
    if (!found) continue
    const isOld = now - found.mtimeMs > (name.endsWith(DRAFT) ? DRAFT_MS : OLDEST_MS)
    if (isOld) await rm(path, { force: true })
    else files.push({ path, size: found.size, usedAt: Math.max(found.atimeMs, found.mtimeMs) })
  }
  let total = 0
  for (const { path, size } of files.sort((a, b) => b.usedAt - a.usedAt)) {
    total += size
    if (total > MOST_BYTES) await rm(path, { force: true })
  }
}
