/** Labelled lines and notes by others, as JSON lines, plain or gzipped. */
import { createReadStream } from 'node:fs'
import { basename, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { readLines as readLinesOf } from '../search/read-file.ts'

export interface Labelled {
  text: string
  /** 1 for a secret or an attack. */
  label: number
  source: string
  rule?: string
}

async function* readLines(path: string): AsyncGenerator<unknown> {
  const file = createReadStream(path)
  const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') yield JSON.parse(line)
  }
}

/** The kind of file, by its first row. */
export function kindOf(path: string): 'labelled' | 'secrets' | 'attacks' | 'notes' {
  const row = JSON.parse(readLinesOf(path)[0]!.text) as object
  if ('memory' in row || 'a' in row) return 'notes'
  if ('content' in row || ('label' in row && typeof row.label === 'string')) return 'labelled'
  return 'rule' in row ? 'secrets' : 'attacks'
}

export async function readLabelled(path: string): Promise<Labelled[]> {
  const rows: Labelled[] = []
  for await (const row of readLines(path)) {
    const { text, label, source } = row as Partial<Labelled>
    if (typeof text !== 'string' || typeof label !== 'number' || typeof source !== 'string') {
      throw new TypeError(`${path}: a row without text, label and source`)
    }
    rows.push(row as Labelled)
  }
  return rows
}

interface Noted {
  text: string
  label: 'poison' | 'honest' | 'ordinary'
  kind: string
  lang: string
  /** Name in the results: its label, or the file of ordinary memories. */
  group: string
}

/** `{text, label: poison|honest, kind, lang}`, or memories `{content}`: those are ordinary. */
export async function readNoted(path: string): Promise<Noted[]> {
  const notes: Noted[] = []
  for await (const row of readLines(path)) {
    const { text, content, label, kind = '?', lang = 'en' } = row as Partial<Noted & { content: string }>
    if (text !== undefined && (label === 'poison' || label === 'honest'))
      notes.push({ text, label, kind, lang, group: label })
    else if (content !== undefined)
      notes.push({ text: content, label: 'ordinary', kind, lang, group: `ordinary, ${basename(dirname(path))}` })
    else throw new TypeError(`${path}: a row without text and label, and without content`)
  }
  return notes
}

/** Honest notes: `{memory}` or `{a, b}`, each once. */
export async function readNotes(paths: readonly string[]): Promise<string[]> {
  const notes = new Set<string>()
  for (const path of paths) {
    for await (const row of readLines(path)) {
      const { memory, a, b } = row as Partial<Record<'memory' | 'a' | 'b', string>>
      for (const text of [memory, a, b]) if (text !== undefined) notes.add(text)
    }
  }
  return [...notes]
}
