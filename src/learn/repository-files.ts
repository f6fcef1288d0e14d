import type { Note } from '../transfer/note.ts'

/** The files of a repository, by their path from its root. */
export interface RepositoryFiles {
  /** Null where there is none, or none that can be read as text. */
  read(path: string): string | null
  /** Whether there is such a file, however large. */
  has(path: string): boolean
  /** The names in a folder, sorted; none where there is no folder. */
  list(folder: string): string[]
}

/** What a reader found, with its place. */
export type Found = Pick<Note, 'text'> & Partial<Pick<Note, 'category' | 'service'>>

export function noteAt(path: string, line: number, found: Found): Note {
  return { tags: [], ...found, line, place: `${path}:${line}`, anchor: `file:${path}:${line}` }
}

/** The first line that matches, counted from 1; 1 where none does. */
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

/** On one line, and no longer than fits beside other memories. */
export function shortCode(command: string, most = 140): string {
  const line = command.replace(/\s+/g, ' ').replaceAll('`', "'").trim()
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line
}
