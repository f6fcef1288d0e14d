import { MemoryError } from '../../model/errors.ts'

/** Where a page ended: the values that the list is sorted by, of its last row. */
export type PositionPart = string | number

/** `list` names the list and its order, so that a position of another one is not taken for one of this. */
export function encodePosition(list: string, parts: readonly PositionPart[]): string {
  return Buffer.from(JSON.stringify([list, ...parts])).toString('base64url')
}

/** null for the start. `types` says what the parts must be, such as `['string', 'number']`. */
export function decodePosition(
  list: string,
  types: readonly ('string' | 'number')[],
  position: string | null,
): PositionPart[] | null {
  if (position === null) return null
  const [name, ...parts] = parseArray(Buffer.from(position, 'base64url').toString())
  if (name === list && parts.length === types.length && types.every((type, i) => typeof parts[i] === type))
    return parts as PositionPart[]
  throw new MemoryError('INVALID_INPUT', 'Invalid position: it is not one that this list returned.', {
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

/** A page out of `limit + 1` rows that were asked for: the one too many says that there is more. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  positionOf: (row: Row) => string,
): { items: Item[]; next: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { items: page.map(toItem), next: rows.length > limit && last !== undefined ? positionOf(last) : null }
}
