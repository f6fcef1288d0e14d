import type { Scope } from '../../model/layer.ts'
import { serviceKey } from '../../model/service-name.ts'
import type { Core } from '../core.ts'

const MOST_KNOWN = 1000
/** The first spelling seen, by scope and service. */
const known = new WeakMap<Core, Map<string, string>>()

/** A scope's name for a service: the configured alias, in the spelling first used there. */
export async function nameService(core: Core, scope: Scope, given: string): Promise<string> {
  const { settings, storage, attempt } = core
  const alias = Object.entries(settings.aliases).find(([name]) => serviceKey(name) === serviceKey(given))
  const service = alias?.[1] ?? given
  const before = known.get(core) ?? new Map<string, string>()
  known.set(core, before)
  const { layer, owner, project } = scope
  const key = JSON.stringify([layer, owner, project, serviceKey(service)])
  const seen = before.get(key)
  if (seen !== undefined) return seen
  const scopes = [{ layer, owner, projects: [project] }]
  const query = {
    scopes,
    where: { service },
    order: 'oldest',
    limit: 1,
    after: null,
    count: false,
    vectors: false,
  } as const
  const { items } = await attempt(() => storage.memories(query))
  const first = items[0]?.memory.service ?? service
  if (before.size >= MOST_KNOWN) before.clear()
  before.set(key, first)
  return first
}
