/** A word that may come next, and what it is. */
export interface Candidate {
  word: string
  about: string
  /** The whole id that the word is a part of. */
  whole?: string
}

/** What the store knows by name. */
export interface Names {
  projects: string[]
  agents: string[]
  memories: Candidate[]
  deleted: Candidate[]
  sessions: Candidate[]
}
