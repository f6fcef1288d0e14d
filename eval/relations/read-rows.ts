import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { OPERATIONAL_CATEGORIES } from '../../src/model/categories.ts'
import { FormatError } from '../search/read-asked.ts'
import { readLines } from '../search/read-file.ts'

const text = z.string().min(1)
const pairSchema = z.object({ a: text, b: text, label: z.enum(['same', 'contradiction', 'neutral']) })
const storeSchema = z.union([
  z.object({
    kind: z.literal('known'),
    text,
    category: z.enum(OPERATIONAL_CATEGORIES).optional(),
    service: z.string().optional(),
  }),
  z.object({ kind: z.literal('new'), text, relation: z.literal('none'), of: z.null().default(null) }),
  z.object({ kind: z.literal('new'), text, relation: z.enum(['contradiction', 'same']), of: text }),
])
const PAIR_FORMAT = '{"a": text, "b": text, "label": "same", "contradiction" or "neutral"}'
const STORE_FORMAT =
  '{"kind": "known", "text"} or {"kind": "new", "text", "relation": "contradiction", "same" or "none", "of": a known text or null}'

export type StoreRow = z.output<typeof storeSchema>

/** Reads labelled pairs. A FormatError says in one line what is wrong and where. */
export function readPairs(path: string): z.output<typeof pairSchema>[] {
  return readRows(path, pairSchema, PAIR_FORMAT).map(({ row }) => row)
}

/** Reads a project's memory and its new notes, with the same errors. */
export function readStore(path: string): StoreRow[] {
  const rows = readRows(path, storeSchema, STORE_FORMAT)
  const known = new Set(rows.filter(({ row }) => row.kind === 'known').map(({ row }) => row.text))
  for (const { row, number } of rows) {
    if (row.kind === 'known' || row.of === null || known.has(row.of)) continue
    throw new FormatError(`${path}, line ${number}: "of" is the text of no known memory`)
  }
  return rows.map(({ row }) => row)
}

/** The file itself, or the files of JSON lines in a folder. */
export function filesIn(path: string): string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => name.endsWith('.jsonl'))
  if (names.length === 0) throw new FormatError(`${path} has no file of JSON lines`)
  return names.map((name) => join(path, name))
}

/** Whether the rows describe a store, judged by the first. */
export function isStore(path: string): boolean {
  return /^\s*\{\s*"kind"/.test(linesOf(path)[0]?.text ?? '')
}

function readRows<T>(path: string, schema: z.ZodType<T>, format: string): { row: T; number: number }[] {
  const lines = linesOf(path)
  if (lines.length === 0) throw new FormatError(`${path} is empty: it needs lines of ${format}`)
  return lines.map(({ text, number }) => {
    const { success, data } = schema.safeParse(parse(text, `${path}, line ${number}`))
    if (success) return { row: data, number }
    throw new FormatError(`${path}, line ${number}: needs ${format}`)
  })
}

function linesOf(path: string): ReturnType<typeof readLines> {
  try {
    return readLines(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new FormatError(`${path} cannot be read (${error.code})`)
  }
}

/** Without the parser's message, which repeats the line and may contain terminal sequences. */
function parse(text: string, place: string): unknown {
  if (text.startsWith('\ufeff'))
    throw new FormatError(`${place}: begins with a byte order mark; save it as UTF-8 without`)
  try {
    return JSON.parse(text)
  } catch {
    throw new FormatError(`${place}: not JSON`)
  }
}
