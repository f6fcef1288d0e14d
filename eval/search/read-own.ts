import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ask, Collection, Item } from './collection.ts'

export const HALVES = ['open', 'held'] as const
export type Half = (typeof HALVES)[number]

/** The time of the questions in our own set. */
const NOW = '2026-06-15T12:00:00.000Z'
const MEMORY = /^(?:\[(\d{4}-\d{2}-\d{2})\] )?([a-z0-9-]+): (.+)$/
const QUESTION = /^ {2}(\w+): (.+)$/
const LANGUAGES = ['de', 'fr', 'es', 'ja']

/**
 * The project's own set. A line `service: text` is a memory, with the day it is about in brackets before it; the indented lines below
 * are questions that it answers, each with its kind or its language; `near:` is a question without an answer. The memories of both
 * halves lie in one store, the questions are those of one half.
 */
export function readOwn(half: Half): Collection {
  const items: Item[] = []
  const asks: Ask[] = []
  for (const each of HALVES) {
    const lines = readFileSync(join(import.meta.dirname, 'own', `${each}.txt`), 'utf8').split('\n')
    for (const line of lines) {
      const own = parseLine(line, items, `${each} ${items.length}`)
      if (own !== null && each === half) asks.push(own)
    }
  }
  return { name: `own ${half}`, items, asks }
}

/** Adds a memory to the items; returns a question. */
function parseLine(line: string, items: Item[], key: string): Ask | null {
  const [, kind, query] = QUESTION.exec(line) ?? []
  if (kind !== undefined && query !== undefined) {
    return { query, answers: [items.at(-1)!.key], category: LANGUAGES.includes(kind) ? 'language' : kind, now: NOW }
  }
  const [, day, service, content] = MEMORY.exec(line) ?? []
  if (service === undefined || content === undefined) return null
  if (service === 'near') return { query: content, answers: [], category: 'nothing', now: NOW }
  items.push({ key, content, service, occurredAt: day === undefined ? null : `${day}T09:00:00.000Z` })
  return null
}
