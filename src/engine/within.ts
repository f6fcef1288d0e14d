import { type IdentifierName, type Identifiers, type Layer, REQUIRED_IDENTIFIER, scopeOf } from '../model/layer.ts'

const INSIDE_PROJECT: ReadonlySet<Layer> = new Set(['agent', 'task', 'section'])
const UPWARD: readonly Layer[] = ['project', 'team', 'org', 'company']

/**
 * Whether a memory lies within a caller's bound. From the project upward that is the nearest layer of its bound: the
 * layers above are read-only. An agent, task or section is within its project, or is named by the bound.
 */
export function isWithin(
  bound: Identifiers,
  { layer, identifiers }: { layer: Layer; identifiers: Identifiers },
): boolean {
  const { owner, project } = scopeOf(layer, identifiers)
  const own = bound[REQUIRED_IDENTIFIER[layer]]
  if (INSIDE_PROJECT.has(layer) && bound.projectId !== undefined) {
    return project === bound.projectId && (own === undefined || own === owner)
  }
  const nearest = UPWARD.find((each) => bound[REQUIRED_IDENTIFIER[each]] !== undefined)
  return own === owner && (!UPWARD.includes(layer) || layer === nearest)
}

/** Identifiers that only name something inside a project. */
const WITHIN_PROJECT: ReadonlySet<string> = new Set<IdentifierName>(['agentId', 'taskId', 'sectionId'])

/** Whether a caller with this bound may also claim this: inside its project it may name an agent, a task or a section. */
export function mayName(bound: Identifiers, name: string): boolean {
  return bound.projectId !== undefined && WITHIN_PROJECT.has(name)
}
