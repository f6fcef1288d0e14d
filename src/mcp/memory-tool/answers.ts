import type { StoredFile } from './files.ts'
import { parentsOf } from './path.ts'

const NUMBER_WIDTH = 6
/** A listing shows this many levels of subfolders. */
const MOST_LEVELS = 2

export function numbered(lines: readonly string[], first = 1): string {
  return lines.map((line, i) => `${String(first + i).padStart(NUMBER_WIDTH)}\t${line}`).join('\n')
}

export function listing(folder: string, files: readonly StoredFile[]): string {
  const sizes = new Map<string, number>([[folder, 0]])
  for (const { path, text } of files) {
    const size = Buffer.byteLength(text)
    const inside = [
      folder,
      ...parentsOf(path)
        .filter((parent) => parent.startsWith(`${folder}/`))
        .map((p) => `${p}/`),
    ]
    for (const place of [...inside, path]) sizes.set(place, (sizes.get(place) ?? 0) + size)
  }
  const shown = [...sizes].filter(([path]) => isShown(path.slice(folder.length)))
  const lines = shown.sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, size]) => `${formatSize(size)}\t${path}`)
  const head = `Here're the files and directories up to ${MOST_LEVELS} levels deep in ${folder}, excluding hidden items and node_modules:`
  return [head, ...lines].join('\n')
}

function isShown(relative: string): boolean {
  const segments = relative.split('/').filter((segment) => segment !== '')
  if (segments.length > MOST_LEVELS) return false
  return segments.every((segment) => !segment.startsWith('.') && segment !== 'node_modules')
}

function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)}K` : `${(bytes / (1 << 20)).toFixed(1)}M`
}

export function snippet(text: string, start: number, length: number): string {
  const before = text.slice(0, start).split('\n').length
  const after = text.slice(0, start + length).split('\n').length
  const first = Math.max(1, before - 2)
  return numbered(text.split('\n').slice(first - 1, after + 2), first)
}

export function occurrences(text: string, part: string): { at: number; line: number }[] {
  const found: { at: number; line: number }[] = []
  if (part === '') return found
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    found.push({ at, line: text.slice(0, at).split('\n').length })
  }
  return found
}
