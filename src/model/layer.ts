import { invalidInput, MemoryError } from './errors.ts'

/** The nine layers, nearest first: the order is the precedence. */
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

/** Who and what a memory belongs to, or who is asking. */
export type Identifiers = { [name in IdentifierName]?: string }

/** The identifier without which a layer cannot be addressed. */
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

/** As the agent, task or section in a reader's identifiers: every one of the project. Nothing can be written for it. */
export const EVERY_AGENT = '*'

/** Scopes of one layer: those of an owner, or of all tasks of a section, or of all agents, tasks or sections of a project. */
export type ScopeSelector = OwnedScopes | SectionTasks | ProjectAgents

/** `projects: null` is every project: see {@link readableScopes}. */
export interface OwnedScopes {
  layer: Layer
  owner: string
  projects: readonly (string | null)[] | null
}

/**
 * What the tasks of a section left: memories of the task layer whose identifiers name this section and project. `section: null` are the
 * tasks of the project that belong to no section.
 */
export interface SectionTasks {
  layer: 'task'
  section: string | null
  project: string | null
}

/** What agents, tasks or sections left in a project, whichever they are. What they have outside of any project is not part of it. */
export interface ProjectAgents {
  layer: 'agent' | 'task' | 'section'
  agentsOf: string
}

/** Where a memory with these identifiers is kept. Throws MISSING_IDENTIFIER when the layer's own is absent. */
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

/** The layer of something new that does not name one: the project's where a project is given, else the nearest that is. */
export function inferLayer(identifiers: Identifiers): Layer {
  const nearest = LAYERS.find((layer) => identifiers[REQUIRED_IDENTIFIER[layer]] !== undefined)
  return identifiers.projectId !== undefined || nearest === undefined ? 'project' : nearest
}

/** Layers from the project upward: reaching one opens those above it. */
const UPWARD: readonly Layer[] = ['project', 'team', 'org', 'company']

/**
 * The layers these identifiers open, nearest first. A layer is open when its identifier is given; from project, team or
 * org the chain above is open too, even where its identifier is unknown (it is then searched as empty).
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
 * What a reader with these identifiers may see in one layer, or null when the layer is open but its scope is unknown.
 * - A project that is given shows its own memories and those that belong to no project, never another project's.
 * - An agent without a project sees only what belongs to no project: what it learned elsewhere stays there.
 * - Every agent, task or section means every one of a project: without one there is nothing to see.
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
