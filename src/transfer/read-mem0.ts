import { isRecord } from '../text/json.ts'
import { type Note, toTag } from './note.ts'

/**
 * The memories in the result of mem0's `get_all`, or in an OpenMemory export: a list, or an object with one under `results` or
 * `memories`. Null if it is neither. Skips deleted and archived ones.
 */
export function readMem0(value: unknown): Note[] | null {
  const list = isRecord(value) ? (value.results ?? value.memories) : value
  if (!Array.isArray(list)) return null
  const entries = list.filter(isRecord)
  if (list.length > 0 && !entries.some((entry) => textOf(entry) !== null)) return null
  return entries.flatMap((entry, i) => {
    const text = textOf(entry)
    if (text === null || (entry.state ?? 'active') !== 'active') return []
    const id = typeof entry.id === 'string' || typeof entry.id === 'number' ? String(entry.id) : String(i + 1)
    const noted = timeOf(entry.created_at)
    const tags = [...new Set(listOf(entry.categories).flatMap((tag) => toTag(tag) ?? []))]
    return {
      text,
      tags,
      anchor: `mem0:${id}`,
      place: `mem0 ${id.slice(0, 8)}`,
      ...(noted ? { occurredAt: noted } : {}),
    }
  })
}

function textOf({ memory, content, text }: Record<string, unknown>): string | null {
  const found = [memory, content, text].find((each) => typeof each === 'string' && each.trim() !== '')
  return (found as string | undefined) ?? null
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

/** ISO 8601, or seconds since 1970. */
function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const time = new Date(typeof value === 'number' ? value * 1000 : value)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
