/** Sizes that every surface shares. Lengths are in UTF-16 code units, as `String.length` counts. */
export const LIMITS = {
  /** Of an observation before the guard has looked at it. */
  candidate: 1_000_000,
  /** Of any backend; each has its own, which is at most this. */
  content: 65_536,
  identifier: 256,
  service: 128,
  tag: 64,
  tags: 64,
  anchor: 512,
  links: 64,
  outcome: 512,
  actor: 512,
  query: 8192,
  /** Of the metadata object, written as JSON. */
  metadata: 65_536,
  metadataDepth: 16,
  filterPaths: 32,
  searchLimit: 100,
  listLimit: 100,
  pageLimit: 1000,
  bulk: 10_000,
} as const

export const DEFAULTS = { searchLimit: 10, listLimit: 50, threshold: 0.7 } as const
