import { MemoryError } from '../model/errors.ts'
import { jsonOr } from '../text/json.ts'

export type PositionPart = string | number

/**
 * The end of a page: the sort values of its last item. `list` names the list and its order, so that a position of
 * another list is rejected.
 */
export function encodePosition(list: string, parts: readonly PositionPart[]): string {
  return Buffer.from(JSON.stringify([list, ...parts])).toString('base64url')
}

/** null means the start. `types` are the expected types, such as `['string', 'number']`. */
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
    // The caller's name for it.
    details: { field: 'cursor' },
  })
}
