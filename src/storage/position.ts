import { MemoryError } from '../model/errors.ts'
import { jsonOr } from '../text/json.ts'

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
  const value = jsonOr(Buffer.from(position, 'base64url').toString(), null)
  const [name, ...parts]: unknown[] = Array.isArray(value) ? value : []
  if (name === list && parts.length === types.length && types.every((type, i) => typeof parts[i] === type))
    return parts as PositionPart[]
  throw new MemoryError('INVALID_INPUT', 'Invalid cursor: this list did not return it.', {
    // As callers of the engine know it.
    details: { field: 'cursor' },
  })
}
