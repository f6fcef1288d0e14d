import { directoryEntries } from '../model/directory.ts'
import type { DirectoryEntry } from '../model/records.ts'
import type { CompleteConfig } from './config-schema.ts'
import { configurationError } from './configuration-error.ts'

/** The links that the configured projects imply: project to team, team to org, org to company. */
export function toDirectory(projects: CompleteConfig['directory'], source: string): DirectoryEntry[] {
  const entries = new Map<string, DirectoryEntry>()
  for (const [project, { team, org, company }] of Object.entries(projects)) {
    const chain = {
      projectId: project,
      ...(team === undefined ? {} : { teamId: team }),
      ...(org === undefined ? {} : { orgId: org }),
      ...(company === undefined ? {} : { companyId: company }),
    }
    for (const entry of directoryEntries(chain)) {
      const name = JSON.stringify([entry.layer, entry.id])
      const known = entries.get(name)
      entries.set(name, known ? merge(known, entry, `directory.${project}`, source) : entry)
    }
  }
  return [...entries.values()]
}

function merge(known: DirectoryEntry, entry: DirectoryEntry, key: string, source: string): DirectoryEntry {
  const merged = { ...known }
  for (const name of ['teamId', 'orgId', 'companyId'] as const) {
    if (known[name] !== null && entry[name] !== null && known[name] !== entry[name]) {
      const problem = `puts ${entry.layer} ${entry.id} in ${entry[name]}, but another project puts it in ${known[name]}`
      throw configurationError(source, key, problem)
    }
    merged[name] ??= entry[name]
  }
  return merged
}
