import type { Identifiers } from './layer.ts'
import type { DirectoryEntry } from './records.ts'

const CHAIN = ['projectId', 'teamId', 'orgId', 'companyId'] as const
const LAYER_OF = { projectId: 'project', teamId: 'team', orgId: 'org' } as const

/** Fills in the team, org and company from the directory. The caller's own values take precedence. */
export async function completeIdentifiers(
  identifiers: Identifiers,
  find: (layer: DirectoryEntry['layer'], id: string) => Promise<DirectoryEntry | null>,
): Promise<Identifiers> {
  const complete = { ...identifiers }
  for (const name of ['projectId', 'teamId', 'orgId'] as const) {
    const id = complete[name]
    if (id === undefined || CHAIN.slice(CHAIN.indexOf(name) + 1).every((above) => complete[above] !== undefined))
      continue
    const entry = await find(LAYER_OF[name], id)
    for (const above of ['teamId', 'orgId', 'companyId'] as const) {
      const known = entry?.[above]
      if (known && complete[above] === undefined) complete[above] = known
    }
  }
  return complete
}

/** One entry per link of a chain: the project belongs to the team, the team to the org, the org to the company. */
export function directoryEntries(chain: Identifiers): DirectoryEntry[] {
  const present = CHAIN.filter((name) => chain[name] !== undefined)
  return present.slice(0, -1).map((name, i) => {
    const parent = present[i + 1]!
    const entry: DirectoryEntry = {
      layer: LAYER_OF[name as keyof typeof LAYER_OF],
      id: chain[name]!,
      teamId: null,
      orgId: null,
      companyId: null,
    }
    return { ...entry, [parent]: chain[parent]! }
  })
}
