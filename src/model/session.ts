import type { Tier } from './memory.ts'

/** One run of an agent. */
export interface Session {
  id: string
  agent: string | null
  project: string | null
  tier: Tier | null
  role: string | null
  startedAt: string
  endedAt: string | null
  exitCode: number | null
  outcome: string | null
}

/** One entry of a memory's history. `before` is null for a creation, `after` for a deletion. */
export interface Change<State> {
  memory: string
  /** The version the change led to. */
  version: number
  operation: 'create' | 'update' | 'delete'
  at: string
  by: string
  before: State | null
  after: State | null
}

/** Who belongs to whom, from the project upward. */
export interface DirectoryEntry {
  layer: 'project' | 'team' | 'org'
  id: string
  teamId: string | null
  orgId: string | null
  companyId: string | null
}
