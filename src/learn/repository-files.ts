import type { Note } from '../transfer/note.ts'

/** The files of a repository, by path relative to its root. */
export interface RepositoryFiles {
  /** Null if the file does not exist or is not text. */
  read(path: string): string | null
  /** Whether the file exists, whatever its size. */
  has(path: string): boolean
  /** The sorted names in a folder; empty if it does not exist. */
  list(folder: string): string[]
}

/** A fact with its source. */
export type Found = Pick<Note, 'text'> & Partial<Pick<Note, 'category' | 'service'>>

export function noteAt(path: string, line: number, found: Found): Note {
  return { tags: [], ...found, line, place: `${path}:${line}`, anchor: `file:${path}:${line}` }
}

/** The first matching line, counted from 1; 1 if none matches. */
export function lineOf(text: string, pattern: RegExp): number {
  return (
    Math.max(
      0,
      text.split('\n').findIndex((line) => pattern.test(line)),
    ) + 1
  )
}

export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** On one line, and short enough for a memory. */
export function shortCode(command: string, most = 140): string {
  const line = command.replace(/\s+/g, ' ').replaceAll('`', "'").trim()
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line
}
