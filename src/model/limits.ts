/** Size limits shared by all surfaces. Lengths are in UTF-16 code units, as in `String.length`. */
export const LIMITS = {
  /** An observation before the guard has processed it. */
  candidate: 1_000_000,
  /** The upper bound for any backend; each has its own limit, which may be lower. */
  content: 65_536,
  identifier: 256,
  service: 128,
  tag: 64,
  tags: 64,
  anchor: 512,
  links: 64,
  decayedWeeks: 1000,
  outcome: 512,
  /** A once-key, a commit key or a document key. */
  once: 1024,
  /** The author of a change: a name, and the session it speaks for. */
  actor: 768,
  query: 8192,
  /** The metadata object as JSON. */
  metadata: 65_536,
  metadataDepth: 16,
  filterPaths: 32,
  searchLimit: 100,
  listLimit: 100,
  pageLimit: 1000,
  bulk: 10_000,
  /** How many refusals are reported per session. */
  refusals: 100,
} as const

/** Defaults. The settings of the configuration file are in `engine/settings.ts`. */
export const DEFAULTS = {
  searchLimit: 10,
  listLimit: 50,
  threshold: 0.7,
  /** Token budget of a memory block in a prompt. */
  budget: 2000,
  /** Length of an automatic workflow summary, in characters. */
  summaryLength: 800,
} as const

/** Token estimate: four characters per token. */
export const CHARACTERS_PER_TOKEN = 4
