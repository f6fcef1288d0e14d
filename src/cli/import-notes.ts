import { existsSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join, relative, resolve, sep } from 'node:path'
import { withoutPrivate } from '../capture/private.ts'
import { MemoryError } from '../model/errors.ts'
import { parseJson } from '../text/json.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import type { Note } from '../transfer/note.ts'
import { readBasicMemory } from '../transfer/read-basic-memory.ts'
import { claudeMemProjects, readClaudeMem } from '../transfer/read-claude-mem.ts'
import { readMem0 } from '../transfer/read-mem0.ts'
import { readInput } from './input.ts'
import { type OfferOptions, offerNotes } from './offer-notes.ts'
import { readConfig } from './open-engine.ts'
import { note } from './output.ts'
import { shell } from './shell.ts'

interface ImportOptions extends OfferOptions {
  from?: string
}

/** Skips hidden files and templates. */
const NOTE = /^(?!(?:.*\/)?[._]).*\.(?:md|markdown)$/i

export async function importBasicMemory(folder: string, options: ImportOptions): Promise<void> {
  const root = resolve(shell().cwd, folder)
  // Links may lead elsewhere, or in a circle.
  const entries = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const names = entries.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
  const notes: Note[] = []
  for (const name of names.filter((each) => NOTE.test(each)).sort()) {
    const text = decodeUtf8(await readFile(join(root, name)))
    if (text === null) note(`${name} was not read: it is not UTF-8 text.`)
    else notes.push(...readBasicMemory(name, withoutPrivate(text)))
  }
  if (notes.length === 0) {
    throw problem(`${folder} is a folder without basic-memory notes: a list item such as "- [category] text".`)
  }
  return offerNotes({ name: basename(root), notes, nothing: 'Nothing to import' }, options)
}

/** More than the memories of an account. */
const MOST_BYTES = 256 << 20

export async function importMem0(file: string, options: ImportOptions): Promise<void> {
  const parsed = parseJson(await readInput(file, MOST_BYTES))
  const notes = parsed.ok ? readMem0(parsed.value) : null
  const name = file === '-' ? 'standard input' : basename(file)
  if (notes === null) {
    throw new MemoryError('INVALID_INPUT', `No mem0 memories in ${name}: a JSON list of {"memory": ...} is expected.`, {
      details: { field: 'file', hint: 'Write what get_all() returns into a file, as JSON.' },
    })
  }
  return offerNotes({ name, notes, session: 'mem0', nothing: `No memory in ${name}` }, options)
}

/** The claude-mem database at its usual place, or a copy. */
export async function importClaudeMem(file: string, options: ImportOptions): Promise<void> {
  const path = file === 'claude-mem' ? claudeMemFile() : resolve(shell().cwd, file)
  if (!existsSync(path)) throw problem(`There is no claude-mem database: ${path}.`)
  const from = options.from ?? basename((await readConfig(options)).root)
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(path, { readOnly: true })
  let notes: Note[]
  try {
    const projects = claudeMemProjects(db)
    if (projects === null) throw problem(`${path} is not a claude-mem database.`)
    notes = readClaudeMem(db, from)
    if (notes.length === 0 && projects.size > 0) {
      const known = [...projects].map(([name, count]) => `${name} (${count})`).join(', ')
      throw problem(`claude-mem has no observation of ${from}.`, `Name one of its projects with --from: ${known}`)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SQLITE_ERROR') throw error
    throw problem(`${path} cannot be read as a database: ${(error as Error).message}.`)
  } finally {
    db.close()
  }
  return offerNotes(
    { name: 'claude-mem', notes, session: `claude-mem ${from}`, nothing: 'claude-mem is empty' },
    options,
  )
}

function claudeMemFile(): string {
  const { env } = shell()
  return join(env.CLAUDE_MEM_DATA_DIR || join(env.HOME || homedir(), '.claude-mem'), 'claude-mem.db')
}

function problem(message: string, hint?: string): MemoryError {
  return new MemoryError('INVALID_INPUT', message, { details: { field: 'file', ...(hint ? { hint } : {}) } })
}

/** Recognizes a file by its name and first bytes. */
export async function formatOfFile(file: string): Promise<ImportFormat> {
  if (file === 'claude-memory' || file === 'claude-mem') return file
  if (file === '-') return 'export'
  if (/\.(?:md|markdown|mdx)$/i.test(file)) return 'markdown'
  if (/\.(?:db|sqlite3?)$/i.test(file)) return 'claude-mem'
  const path = resolve(shell().cwd, file)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 'basic-memory'
  if (!/\.json$/i.test(file)) return 'export'
  // An export can have any name; its first line identifies it.
  return /^\s*\{\s*"nokosu"/.test(await readInput(file, MOST_BYTES)) ? 'export' : 'mem0'
}

export const IMPORT_FORMATS = ['export', 'markdown', 'claude-memory', 'claude-mem', 'mem0', 'basic-memory'] as const
type ImportFormat = (typeof IMPORT_FORMATS)[number]
