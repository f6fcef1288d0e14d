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
  decayedWeeks: 1000,
  outcome: 512,
  /** Of a once-key, a commit key or the key of a document. */
  once: 1024,
  /** Who made a change: a name, and the session that it speaks for. */
  actor: 768,
  query: 8192,
  /** Of the metadata object, written as JSON. */
  metadata: 65_536,
  metadataDepth: 16,
  filterPaths: 32,
  searchLimit: 100,
  listLimit: 100,
  pageLimit: 1000,
  bulk: 10_000,
  /** That are told of one session. */
  refusals: 100,
} as const

/** What holds when nobody says otherwise; the settings of the configuration are in `engine/settings.ts`. */
export const DEFAULTS = {
  searchLimit: 10,
  listLimit: 50,
  threshold: 0.7,
  /** Tokens that a block of memories may take in a prompt. */
  budget: 2000,
  /** Characters of an automatic workflow summary. */
  summaryLength: 800,
} as const

/** Tokens are estimated: a token is four characters. */
export const CHARACTERS_PER_TOKEN = 4
