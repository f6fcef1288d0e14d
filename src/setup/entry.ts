import { isDeepStrictEqual } from 'node:util'

/** One thing that setup writes into a configuration file. */
export interface Entry {
  /** The names that lead to it. */
  at: readonly string[]
  value: unknown
  /** Set for an item of the list at `at`: a text that only our item holds. */
  mark?: string
  /** The file needs it, and it stays while anything else does. */
  isFrame?: true
}

/** `other`: there is something else in its place, which is not ours to change. */
export type Status = 'missing' | 'same' | 'other'

export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other)
}
