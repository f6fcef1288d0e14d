import { invalidInput, MemoryError } from './errors.ts'

/** The nine layers, nearest first. The order is the precedence. */
export const LAYERS = ['agent', 'user', 'session', 'task', 'section', 'project', 'team', 'org', 'company'] as const
export type Layer = (typeof LAYERS)[number]

export const IDENTIFIER_NAMES = [
  'agentId',
  'userId',
  'sessionId',
  'taskId',
  'sectionId',
  'projectId',
  'teamId',
  'orgId',
  'companyId',
] as const
export type IdentifierName = (typeof IDENTIFIER_NAMES)[number]

/** Who or what a memory belongs to, or who is reading. */
export type Identifiers = { [name in IdentifierName]?: string }

/** The identifier each layer needs. */
export const REQUIRED_IDENTIFIER = {
  agent: 'agentId',
  user: 'userId',
  session: 'sessionId',
  task: 'taskId',
  section: 'sectionId',
  project: 'projectId',
  team: 'teamId',
  org: 'orgId',
  company: 'companyId',
} as const satisfies Record<Layer, IdentifierName>

/** 1 for the nearest layer, 9 for the farthest. */
export function precedence(layer: Layer): number {
  return LAYERS.indexOf(layer) + 1
}

/** Layers whose identifiers are only unique inside a project, so that a project, when given, is part of the scope. */
const WITHIN_PROJECT: ReadonlySet<Layer> = new Set(['agent', 'task', 'section'])

function isWithinProject(layer: Layer): layer is ProjectAgents['layer'] {
  return WITHIN_PROJECT.has(layer)
}

/** The place a memory lives in. Two memories share a scope exactly when all three fields are equal. */
export interface Scope {
  layer: Layer
  /** The value of the layer's required identifier. */
  owner: string
  /** The project, for the layers whose identifiers live inside one; null when the memory belongs to none. */
  project: string | null
}

/** As the agent, task or section of a reader: every one in the project. Writes refuse it. */
export const EVERY_AGENT = '*'

/**
 * Scopes of one layer: those of an owner, of all tasks in a section, or of all agents, tasks or sections in a project.
 */
export type ScopeSelector = OwnedScopes | SectionTasks | ProjectAgents

/** `projects: null` means every project: see {@link readableScopes}. */
export interface OwnedScopes {
  layer: Layer
  owner: string
  projects: readonly (string | null)[] | null
}

/**
 * Memories from the tasks of a section: those in the task layer whose identifiers name this section and project.
 * `section: null` selects tasks without a section.
 */
export interface SectionTasks {
  layer: 'task'
  section: string | null
  project: string | null
}

/** Memories from all agents, tasks or sections of a project. What they recorded outside a project is not included. */
export interface ProjectAgents {
  layer: 'agent' | 'task' | 'section'
  agentsOf: string
}

/** The scope of a memory with these identifiers. Throws MISSING_IDENTIFIER if the layer's own is absent. */
export function scopeOf(layer: Layer, identifiers: Identifiers): Scope {
  const owner = requireIdentifier(layer, identifiers)
  if (WITHIN_PROJECT.has(layer) && owner === EVERY_AGENT) {
    const field = REQUIRED_IDENTIFIER[layer]
    throw invalidInput(
      `identifiers.${field}`,
      `Invalid ${field}: '${EVERY_AGENT}' is every ${layer}, and a memory belongs to one.`,
    )
  }
  return { layer, owner, project: WITHIN_PROJECT.has(layer) ? (identifiers.projectId ?? null) : null }
}

export function requireIdentifier(layer: Layer, identifiers: Identifiers): string {
  const name = REQUIRED_IDENTIFIER[layer]
  const value = identifiers[name]
  if (value === undefined) {
    throw new MemoryError('MISSING_IDENTIFIER', `The ${layer} layer needs ${name}.`, {
      details: { layer, identifier: name },
    })
  }
  return value
}

/**
 * The layer of a new memory that does not name one: the project layer if there is a project, else the nearest layer
 * with an identifier.
 */
export function inferLayer(identifiers: Identifiers): Layer {
  const nearest = LAYERS.find((layer) => identifiers[REQUIRED_IDENTIFIER[layer]] !== undefined)
  return identifiers.projectId !== undefined || nearest === undefined ? 'project' : nearest
}

/** Layers from the project upward: access to one includes those above it. */
const UPWARD: readonly Layer[] = ['project', 'team', 'org', 'company']

/**
 * The layers these identifiers give access to, nearest first: those whose identifier is given. A project, team or org
 * also opens the layers above it, even if their identifier is unknown (they are then searched as empty).
 */
export function accessibleLayers(identifiers: Identifiers): Layer[] {
  const firstUpward = UPWARD.findIndex((layer) => identifiers[REQUIRED_IDENTIFIER[layer]] !== undefined)
  return LAYERS.filter((layer) => {
    if (identifiers[REQUIRED_IDENTIFIER[layer]] !== undefined) return true
    const position = UPWARD.indexOf(layer)
    return position >= 0 && firstUpward >= 0 && position > firstUpward
  })
}

/**
 * What a reader with these identifiers may see in one layer, or null if the layer is open but its scope is unknown.
 * - With a project: that project's memories and those without a project, never another project's.
 * - An agent without a project sees only memories without a project: what it learned in a project stays there.
 * - Every agent, task or section means every one in a project: without a project there is nothing to see.
 * - A task or section without a project is addressed by its identifier alone, as workflow tools do.
 */
export function readableScopes(layer: Layer, identifiers: Identifiers): OwnedScopes | ProjectAgents | null {
  const owner = identifiers[REQUIRED_IDENTIFIER[layer]]
  if (owner === undefined) return null
  if (isWithinProject(layer) && owner === EVERY_AGENT) {
    return identifiers.projectId === undefined ? null : { layer, agentsOf: identifiers.projectId }
  }
  if (!WITHIN_PROJECT.has(layer)) return { layer, owner, projects: [null] }
  if (identifiers.projectId !== undefined) return { layer, owner, projects: [identifiers.projectId, null] }
  return { layer, owner, projects: layer === 'agent' ? [null] : null }
}

export function selects(selector: ScopeSelector, memory: { layer: Layer; identifiers: Identifiers }): boolean {
  const { layer, identifiers } = memory
  if (selector.layer !== layer) return false
  if ('section' in selector) {
    return (identifiers.sectionId ?? null) === selector.section && (identifiers.projectId ?? null) === selector.project
  }
  const scope = scopeOf(layer, identifiers)
  if ('agentsOf' in selector) return selector.agentsOf === scope.project
  return selector.owner === scope.owner && (selector.projects === null || selector.projects.includes(scope.project))
}
