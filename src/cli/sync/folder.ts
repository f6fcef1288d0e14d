import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { z } from 'zod'
import { MemoryError } from '../../model/errors.ts'
import { parseJson } from '../../text/json.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import { type ReadDocument, readDocument } from '../../transfer/memory-document.ts'
import type { Synced } from '../../transfer/plan-sync.ts'

/** A file of a memory. */
export interface DocumentFile extends ReadDocument {
  /** Relative to the folder, with `/`. */
  path: string
  text: string
}

/** Not a memory, with the reason. */
export interface BadFile {
  file: string
  problem: string
}

const OWN_FOLDER = '.nokosu-sync'
const STATE = 'state.json'
/** About the folder, not in it. */
const NO_MEMORY = /^(?:readme|index)\.md$/i
const LONGEST = 1 << 20

const stateSchema = z.strictObject({
  nokosu: z.literal('sync'),
  version: z.literal(1),
  project: z.string(),
  synced: z.record(z.string(), z.strictObject({ memory: z.string(), file: z.string(), fingerprint: z.string() })),
})

/** A folder of Markdown files, one per memory, and the state of the last sync. */
export class SyncFolder {
  readonly root: string
  readonly #texts = new Map<string, string>()

  constructor(root: string) {
    this.root = root
  }

  /** The memory files, and those that cannot be read as one. Links and hidden files are skipped; of a file and its copy, the copy is invalid. */
  read(synced: ReadonlyMap<string, Synced>): { files: DocumentFile[]; bad: BadFile[] } {
    const files: DocumentFile[] = []
    const bad: BadFile[] = []
    const paths = new Map<string, string>()
    const known = new Set([...synced.values()].map(({ file }) => file))
    const all = this.#paths()
    for (const path of [...all.filter((each) => known.has(each)), ...all.filter((each) => !known.has(each))]) {
      const isLong = lstatSync(join(this.root, path)).size > LONGEST
      const text = isLong ? '' : decodeUtf8(readFileSync(join(this.root, path)))
      if (text === null) {
        bad.push({ file: path, problem: 'it is not UTF-8 text' })
        continue
      }
      const read = isLong ? { problem: 'it is too long for a memory' } : readDocument(text)
      if ('problem' in read) {
        bad.push({ file: path, problem: read.problem })
        continue
      }
      const other = read.id === null ? undefined : paths.get(read.id)
      if (other !== undefined) {
        bad.push({
          file: path,
          problem: `it has the same id as ${other}; remove the id to add it as a memory of its own`,
        })
        continue
      }
      if (read.id !== null) paths.set(read.id, path)
      this.#texts.set(path, text)
      files.push({ ...read, path, text })
    }
    return { files, bad }
  }

  #paths(): string[] {
    if (!lstatSync(this.root, { throwIfNoEntry: false })?.isDirectory()) return []
    const entries = readdirSync(this.root, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md') && !NO_MEMORY.test(entry.name))
      .map((entry) => relative(this.root, join(entry.parentPath, entry.name)).split(sep).join(posix.sep))
      .filter((path) => !/(?:^|\/)\./.test(path))
      .sort()
  }

  /** State of this project; another project's is an error. */
  readState(project: string): Map<string, Synced> {
    const path = join(this.root, OWN_FOLDER, STATE)
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return new Map()
    const parsed = parseJson(readFileSync(path, 'utf8'))
    const state = stateSchema.safeParse(parsed.ok ? parsed.value : null)
    if (!state.success) {
      throw new MemoryError('INVALID_INPUT', `${path} cannot be read.`, {
        details: {
          field: 'folder',
          hint: 'Remove it. The next sync compares both sides from scratch, and reports what differs.',
        },
      })
    }
    if (state.data.project === project) return new Map(Object.entries(state.data.synced))
    throw new MemoryError('INVALID_INPUT', `This folder mirrors the project ${state.data.project}, not ${project}.`, {
      details: { field: 'folder' },
    })
  }

  writeState(project: string, synced: ReadonlyMap<string, Synced>): void {
    const own = join(this.root, OWN_FOLDER)
    mkdirSync(own, { recursive: true })
    // It describes this store only: other people with the same files in git have their own state.
    writeFileSync(join(own, '.gitignore'), '*\n')
    const sorted = Object.fromEntries([...synced].sort(([a], [b]) => (a < b ? -1 : 1)))
    const state: z.input<typeof stateSchema> = { nokosu: 'sync', version: 1, project, synced: sorted }
    this.#put(join(own, STATE), `${JSON.stringify(state, null, 1)}\n`)
  }

  /** Completely or not at all. `changed`: someone has edited the file since it was read, so it stays. */
  write(path: string, text: string): 'written' | 'same' | 'changed' {
    const before = this.#now(path)
    if (before === text) return 'same'
    if (before !== (this.#texts.get(path) ?? null)) return 'changed'
    this.#put(join(this.root, path), text)
    this.#texts.set(path, text)
    return 'written'
  }

  remove(path: string): boolean {
    if (this.#now(path) !== this.#texts.get(path)) return false
    rmSync(join(this.root, path))
    this.#texts.delete(path)
    return true
  }

  /** Backs up a file that is about to be replaced, next to earlier backups. Returns the path, or undefined if the file does not exist. */
  keep(path: string): string | undefined {
    const text = this.#texts.get(path)
    if (text === undefined) return undefined
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 8)
    const copy = posix.join(OWN_FOLDER, 'replaced', path.replace(/\.md$/, `-${digest}.md`))
    this.#put(join(this.root, copy), text)
    return copy
  }

  #now(path: string): string | null {
    const stats = lstatSync(join(this.root, path), { throwIfNoEntry: false })
    return stats?.isFile() ? readFileSync(join(this.root, path), 'utf8') : null
  }

  #put(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true })
    const draft = `${path}.${randomBytes(4).toString('hex')}.part`
    writeFileSync(draft, text)
    renameSync(draft, path)
  }
}
