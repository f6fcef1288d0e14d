import { MemoryError } from '../../model/errors.ts'
import type { Page } from '../../model/page.ts'

/** A value that items are sorted by. */
export type Part = string | number
type Direction = 'up' | 'down'

export interface Sorting<Item> {
  /** Names the order, so that a position of another one is not taken for one of this. */
  name: string
  /** What is sorted by, the most important first. Together they differ for any two items. */
  by: (item: Item) => readonly Part[]
  directions: readonly Direction[]
}

/** The items behind a position, sorted. A position is the sorted-by values of the last item of the page before. */
export function pageOf<Item>(
  items: readonly Item[],
  sorting: Sorting<Item>,
  { after, limit }: { after: string | null; limit: number },
): Page<Item> {
  const { name, by, directions } = sorting
  const position = positionIn(sorting, after)
  const behind = items
    .filter((item) => position === null || compare(by(item), position, directions) > 0)
    .sort((a, b) => compare(by(a), by(b), directions))
  const page = behind.slice(0, limit)
  const last = page.at(-1)
  const next = behind.length > page.length && last !== undefined ? writePosition(name, by(last)) : null
  return { items: page, next }
}

/** The sorted-by values of a position of this order; INVALID_INPUT for anything else. */
export function positionIn<Item>({ name, directions }: Sorting<Item>, after: string | null): readonly Part[] | null {
  return after === null ? null : readPosition(after, name, directions.length)
}

function compare(a: readonly Part[], b: readonly Part[], directions: readonly Direction[]): number {
  for (const [i, direction] of directions.entries()) {
    const order = a[i]! < b[i]! ? -1 : a[i]! > b[i]! ? 1 : 0
    if (order !== 0) return direction === 'up' ? order : -order
  }
  return 0
}

function writePosition(name: string, parts: readonly Part[]): string {
  return Buffer.from(JSON.stringify([name, ...parts])).toString('base64url')
}

function readPosition(text: string, name: string, length: number): readonly Part[] {
  const [mark, ...parts] = parseArray(Buffer.from(text, 'base64url').toString())
  const isPart = (value: unknown): value is Part => typeof value === 'string' || typeof value === 'number'
  if (mark === name && parts.length === length && parts.every(isPart)) return parts
  throw new MemoryError('INVALID_INPUT', 'Invalid position: it is not one that this query returned.', {
    // As callers of the engine know it.
    details: { field: 'cursor' },
  })
}

/** Empty when the text is no JSON array. */
function parseArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
