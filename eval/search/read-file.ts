import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export type Json = Record<string, unknown>

function readText(path: string): string {
  const bytes = readFileSync(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}

/** The non-empty lines of a file with their numbers. */
export function readLines(path: string): { text: string; number: number }[] {
  const lines = readText(path).split('\n')
  return lines.map((text, i) => ({ text, number: i + 1 })).filter(({ text }) => text.trim() !== '')
}

/** The values of a file of JSON lines, or of one JSON list; plain or gzipped. */
export function readRows(path: string): Json[] {
  const text = readText(path).trim()
  if (text.startsWith('[')) return JSON.parse(text) as Json[]
  return text.split('\n').map((line) => JSON.parse(line) as Json)
}

/** The file of a set: the path itself, or the file in the folder whose name starts like this. */
export function fileIn(path: string, beginning: string): string {
  if (!statSync(path).isDirectory()) return path
  for (const folder of [path, join(path, beginning)]) {
    const file =
      existsSync(folder) &&
      readdirSync(folder).find((name) => name.startsWith(beginning) && /\.jsonl?(\.gz)?$/.test(name))
    if (file) return join(folder, file)
  }
  throw new Error(`${path} holds no file ${beginning}*.json, .jsonl or .jsonl.gz`)
}
