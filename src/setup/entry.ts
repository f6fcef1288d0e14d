import { isDeepStrictEqual } from 'node:util'

/** One thing that setup writes into a configuration file. */
export interface Entry {
  /** The path of keys that leads to it. */
  at: readonly string[]
  value: unknown
  /** For an item of the list at `at`: a text that only our item contains. */
  mark?: string
  /** Required by the file; it stays while anything else does. */
  isFrame?: true
}

/** `other`: something else is in its place, which we do not change. */
export type Status = 'missing' | 'same' | 'other'

export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other)
}
