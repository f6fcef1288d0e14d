import type { Page } from '../../model/page.ts'
import { decodePosition, encodePosition, type PositionPart } from '../position.ts'

export interface Sorting<Item> {
  /** Names the order, so that a position of another order is rejected. */
  name: string
  /** Sort values, most significant first. Together they are unique per item. */
  by: (item: Item) => readonly PositionPart[]
  types: readonly ('string' | 'number')[]
  direction: 'up' | 'down'
}

export function pageOf<Item>(
  items: readonly Item[],
  sorting: Sorting<Item>,
  { after, limit }: { after: string | null; limit: number },
): Page<Item> {
  const { name, by, direction } = sorting
  const position = positionIn(sorting, after)
  const order = (a: readonly PositionPart[], b: readonly PositionPart[]) =>
    compare(a, b) * (direction === 'up' ? 1 : -1)
  const behind = items
    .filter((item) => position === null || order(by(item), position) > 0)
    .sort((a, b) => order(by(a), by(b)))
  const page = behind.slice(0, limit)
  const last = page.at(-1)
  const next = behind.length > page.length && last !== undefined ? encodePosition(name, by(last)) : null
  return { items: page, next }
}

/** The sort values of a position in this order; INVALID_INPUT for anything else. */
export function positionIn<Item>({ name, types }: Sorting<Item>, after: string | null): readonly PositionPart[] | null {
  return decodePosition(name, types, after)
}

function compare(a: readonly PositionPart[], b: readonly PositionPart[]): number {
  const at = a.findIndex((part, i) => part !== b[i])
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1
}
