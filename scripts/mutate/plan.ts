/** The plan that a session gives to its test workers. */
export interface Plan {
  /** The copied tree. */
  root: string
  /** The active mutation; null to record what the tests reach. */
  active: number | null
  record: string | null
}

/** The mutations that a file's tests reach. */
export interface Reached {
  file: string
  /** Reached outside tests: at module load or in hooks. */
  always: number[]
  tests: { name: string /** CPU time. */; ms: number; ids: number[] }[]
}

/** The tests to run for one mutation, by file, in this order. */
export interface Trial {
  id: number
  files: { file: string; tests: string[] }[]
}

export interface Verdict {
  id: number
  /** The test that caught it, or null. */
  by: string | null
}
