import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { withLock } from '../agents/workspace/lock.ts'
import { MemoryError } from '../model/errors.ts'
import { parseJson } from '../text/json.ts'
import { CLIENT_NAMES } from './clients.ts'

const entrySchema = z.strictObject({
  at: z.array(z.string()),
  value: z.unknown(),
  mark: z.exactOptional(z.string()),
  isFrame: z.exactOptional(z.literal(true)),
})

const touchedSchema = z.strictObject({
  client: z.enum(CLIENT_NAMES),
  path: z.string(),
  format: z.enum(['jsonc', 'toml']),
  entries: z.array(entrySchema),
  /** The copy of the original file; null if there was none. */
  backup: z.string().nullable(),
  /** Digest of the file as setup left it. */
  hash: z.string(),
  /** Folders that setup created for it, the outermost first. */
  made: z.array(z.string()),
})

/** A file that setup has changed. */
export type Touched = z.output<typeof touchedSchema>

/** `made`: the folders created for the record itself. */
const recordSchema = z.strictObject({ made: z.array(z.string()), touched: z.array(touchedSchema) })

/** Longer than Claude Code takes to install the plugin. */
const PATIENCE_MS = 60_000

/** Records what setup changed, with copies of the original files, for undo. */
export class SetupRecord {
  readonly folder: string
  #made: string[] = []
  #touched: Touched[] = []

  constructor(folder: string) {
    this.folder = folder
    this.#load()
  }

  /** Only one process at a time changes files, and it sees what earlier ones did. */
  async exclusively(work: () => Promise<void>): Promise<void> {
    const made: string[] = []
    for (let hasBegun = false; !hasBegun; ) {
      made.push(...makeFolder(this.folder))
      try {
        await withLock(this.#lock, PATIENCE_MS, async () => {
          hasBegun = true
          this.#load()
          this.#made.push(...made.filter((folder) => !this.#made.includes(folder)))
          try {
            await work()
          } finally {
            if (this.#touched.length === 0) rmSync(this.#file, { force: true })
          }
        })
      } catch (error) {
        // Another process has just undone everything and removed the folder.
        if (hasBegun || existsSync(this.folder)) throw error
      }
    }
    if (this.#touched.length === 0) this.#leave()
  }

  /** The folder stays if another process is working in it. */
  #leave(): void {
    try {
      rmSync(this.#lock, { force: true })
    } catch (error) {
      if (!['EBUSY', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
    removeEmpty([...this.#made, this.folder])
  }

  get #file(): string {
    return join(this.folder, 'record.json')
  }

  get #lock(): string {
    return join(this.folder, 'lock')
  }

  #load(): void {
    const file = join(this.folder, 'record.json')
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '{"made":[],"touched":[]}'
    const json = parseJson(text)
    const parsed = recordSchema.safeParse(json.ok ? json.value : null)
    if (!parsed.success)
      throw new MemoryError('CONFIGURATION_ERROR', `${file} is damaged. The originals are beside it.`)
    this.#touched = parsed.data.touched
    this.#made = parsed.data.made
  }

  get touched(): readonly Touched[] {
    return this.#touched
  }

  find(path: string): Touched | null {
    return this.#touched.find((each) => each.path === path) ?? null
  }

  /** The file as it was before setup first changed it. */
  original({ backup }: Touched): string | null {
    return backup === null ? null : readText(join(this.folder, backup))
  }

  /** Before the file itself is written, so that a killed setup can be undone. */
  add(touched: Omit<Touched, 'backup'>, original: string | null): void {
    const backup = original === null ? null : `${fingerprint(touched.path).slice(0, 8)}-${basename(touched.path)}`
    if (backup !== null) writeFileSync(join(this.folder, backup), original!, { mode: 0o600 })
    this.#touched = [...this.#touched.filter(({ path }) => path !== touched.path), { ...touched, backup }]
    this.#save()
  }

  remove({ path, backup }: Touched): void {
    this.#touched = this.#touched.filter((each) => each.path !== path)
    this.#save()
    if (backup !== null) rmSync(join(this.folder, backup), { force: true })
  }

  #save(): void {
    writeText(this.#file, `${JSON.stringify({ made: this.#made, touched: this.#touched }, null, 2)}\n`)
  }
}

export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Null if the file does not exist. Text that is not UTF-8 is refused: writing it back would change it. */
export function readText(path: string): string | null {
  if (!existsSync(path)) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null
    throw new MemoryError('INVALID_INPUT', 'It is a link to a file that does not exist.')
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path))
  } catch (cause) {
    throw new MemoryError('INVALID_INPUT', `It cannot be read as text: ${(cause as Error).message}`, { cause })
  }
}

/** Completely or not at all, with the file's mode; a link stays a link. */
export function writeText(path: string, text: string): void {
  const real = existsSync(path) ? realpathSync(path) : path
  const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600
  const aside = `${real}.nokosu-${process.pid}`
  try {
    writeFileSync(aside, text, { mode, flag: 'wx' })
    chmodSync(aside, mode)
    renameSync(aside, real)
  } finally {
    rmSync(aside, { force: true })
  }
}

/** The folders that were missing, the outermost first. */
export function makeFolder(path: string): string[] {
  const missing: string[] = []
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return missing
}

/** Non-empty folders stay. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}
