/** What a session tells the workers of its tests. */
export interface Plan {
  /** The copy of the tree. */
  root: string
  /** The mistake that is on; null: none, and what the tests reach is written down. */
  active: number | null
  record: string | null
}

/** Which mistakes the tests of a file reach. */
export interface Reached {
  file: string
  /** Reached outside tests: while modules are loaded, or in hooks. */
  always: number[]
  tests: { name: string /** Of the processor. */; ms: number; ids: number[] }[]
}

/** The tests to be run for one mistake, by file, in this order. */
export interface Trial {
  id: number
  files: { file: string; tests: string[] }[]
}

export interface Verdict {
  id: number
  /** The test that noticed; null: none did. */
  by: string | null
}
