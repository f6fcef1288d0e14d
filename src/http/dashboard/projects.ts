import type { ServerParts } from '../route.ts'
import { DAY_MS } from './tally.ts'
import type { View } from './view.ts'

export interface ProjectCount {
  project: string
  memories: number
}

export interface Projects {
  /** All memories, also those without a project. */
  memories: number
  /** Most memories first. */
  projects: readonly ProjectCount[]
}

/** Cached, because every page shows the list, and counting takes longer in a larger store. */
const KEPT_MS = 5_000
const kept = new WeakMap<ServerParts, { at: number; found: Promise<Projects> }>()

/** The projects to choose from; null for a caller who may not see them all. */
export async function projectsOf({ access, parts }: View): Promise<Projects | null> {
  if (!access.may('admin') || Object.keys(access.caller.identifiers).length > 0) return null
  const known = kept.get(parts)
  if (known !== undefined && Date.now() - known.at < KEPT_MS) return known.found
  const found = access
    .own()
    .tally({ since: new Date(Date.now() + DAY_MS).toISOString() })
    .then(({ memories, projects }) => ({
      memories,
      projects: projects.flatMap(({ project, memories: own }) =>
        project === null ? [] : [{ project, memories: own }],
      ),
    }))
  found.catch(() => kept.delete(parts))
  kept.set(parts, { at: Date.now(), found })
  return found
}

/** Whether nothing was ever recorded for the project that the address names. */
export async function isUnknownProject(view: View): Promise<boolean> {
  if (view.query('project') === undefined) return false
  const { own } = view
  const [{ totalCount }, { sessions }] = await Promise.all([
    own.list({ limit: 1, includeInactive: true }),
    own.sessions({ limit: 1 }),
  ])
  return totalCount === 0 && sessions.length === 0
}
