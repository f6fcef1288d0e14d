import { MemoryError } from '../model/errors.ts'

export type PositionPart = string | number

/**
 * Where a page ended: the values that the list is sorted by, of its last item. `list` names the list and its order, so that a position of
 * another one is not taken for one of this.
 */
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
  throw new MemoryError('INVALID_INPUT', 'Invalid cursor: this list did not return it.', {
    // As callers of the engine know it.
    details: { field: 'cursor' },
  })
}

/** Empty when the text is not a JSON array. */
function parseArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
