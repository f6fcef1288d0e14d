import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { LIMITS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import type { Session } from '../model/records.ts'

/** Names a person may have meant: those in the most recent records. Reads one page of each, so the cost does not depend on the store. */
export interface KnownNames {
  projects: string[]
  agents: string[]
  memories: Memory[]
  sessions: Session[]
}

/** Empty for a caller who may not read the whole store: the suggestions are optional. */
export async function readKnownNames(engine: Nokosu): Promise<KnownNames> {
  try {
    return await readAll(engine)
  } catch (error) {
    if (!MemoryError.is(error) || error.code !== 'UNAUTHORIZED') throw error
    return { projects: [], agents: [], memories: [], sessions: [] }
  }
}

async function readAll(engine: Nokosu): Promise<KnownNames> {
  const everything = true
  const [{ memories }, { sessions }, directory, personalities] = await Promise.all([
    engine.list({ everything, includeInactive: true, limit: LIMITS.listLimit }),
    engine.sessions({ everything, limit: LIMITS.listLimit }),
    engine.directory.list(),
    engine.personality.list(),
  ])
  const ids = memories.map(({ identifiers }) => identifiers)
  const entries = directory.flatMap(({ layer, id }) => (layer === 'project' ? [id] : []))
  return {
    projects: distinct([
      ...ids.map(({ projectId }) => projectId),
      ...sessions.map(({ project }) => project),
      ...entries,
    ]),
    agents: distinct([
      ...ids.map(({ agentId }) => agentId),
      ...sessions.map(({ agent }) => agent),
      ...personalities.map(({ agentName }) => agentName),
    ]),
    memories,
    sessions,
  }
}

function distinct(names: readonly (string | null | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== null && name !== undefined))]
}
