import { createHash } from 'node:crypto'
import {
  EVERY_AGENT,
  LAYERS,
  type Layer,
  REQUIRED_IDENTIFIER,
  type Scope,
  type ScopeSelector,
  scopeOf,
} from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'

/** Names are kept unchanged, except for the characters that the key format uses. */
function plain(name: string): string {
  return name.replace(/[%#|]/g, (mark) => encodeURIComponent(mark)).replace(/^@/, '%40')
}

function unplain(name: string): string {
  return name.replace(/%(?:25|23|7C|40)/g, decodeURIComponent)
}

/** An agent's name, as in the published contract; `@layer#id` for other layers. */
function ownerKey({ layer, owner }: Pick<Scope, 'layer' | 'owner'>): string {
  return layer === 'agent' ? plain(owner) : `@${layer}#${plain(owner)}`
}

/** The partition of a scope: `agentName#projectId`, `@layer#id`, and `@layer#id#projectId` for layers inside a project. */
function partitionKey({ layer, owner, project }: Scope): string {
  const own = ownerKey({ layer, owner })
  if (project !== null) return `${own}#${plain(project)}`
  return layer === 'agent' ? `${own}#` : own
}

/**
 * The owner of a partition, as far as its key tells; null if it cannot be parsed. The published helpers join arbitrary
 * names: if the names in an item produce its key, they are used.
 */
export function ownerOf(
  partition: string,
  named: { agentId: unknown; projectId: unknown },
): Pick<Memory, 'layer' | 'identifiers'> | null {
  if (!partition.startsWith('@')) {
    const cut = partition.indexOf('#')
    const [agentId, projectId] =
      `${named.agentId}#${named.projectId}` === partition
        ? [String(named.agentId), String(named.projectId)]
        : cut < 0
          ? [unplain(partition), '']
          : [unplain(partition.slice(0, cut)), unplain(partition.slice(cut + 1))]
    if (agentId === EVERY_AGENT) return null
    return { layer: 'agent', identifiers: { agentId, ...(projectId === '' ? {} : { projectId }) } }
  }
  const [, name, owner, project] = /^@([a-z]+)#([^#]+)(?:#([^#]+))?$/.exec(partition) ?? []
  const layer = LAYERS.find((each) => each === name && each !== 'agent')
  if (layer === undefined || owner === undefined || owner === EVERY_AGENT) return null
  const identifiers = { [REQUIRED_IDENTIFIER[layer]]: unplain(owner) }
  return { layer, identifiers: { ...identifiers, ...(project === undefined ? {} : { projectId: unplain(project) }) } }
}

/** The key of the list of partitions of a section's tasks, or of tasks without a section. */
function sectionList(section: string | null, project: string | null): string {
  return `@tasks-of#${section === null ? '' : plain(section)}#${project === null ? '' : plain(project)}`
}

/** The key of the list of partitions of a project's agents, tasks or sections. */
function projectList(layer: Layer, project: string): string {
  return `@${layer}s-in#${plain(project)}`
}

export interface Counted {
  owner: string
  partition: string
}

export function countedOf({ layer, identifiers }: Pick<Memory, 'layer' | 'identifiers'>): Counted {
  const scope = scopeOf(layer, identifiers)
  return { owner: ownerKey(scope), partition: partitionKey(scope) }
}

/** The lists that include a memory's partition, for readers that do not know its owner. */
export function listsOf({ layer, identifiers }: Pick<Memory, 'layer' | 'identifiers'>): string[] {
  const { project } = scopeOf(layer, identifiers)
  return [
    ...(project === null ? [] : [projectList(layer, project)]),
    ...(layer === 'task' ? [sectionList(identifiers.sectionId ?? null, project)] : []),
  ]
}

/** The partitions a selector reads: by name, all that are counted under an owner, or all on a list. */
export function placesOf(selector: ScopeSelector): Counted[] | { owner: string } | { list: string } {
  if ('section' in selector) return { list: sectionList(selector.section, selector.project) }
  if ('agentsOf' in selector) return { list: projectList(selector.layer, selector.agentsOf) }
  const { layer, owner: name, projects } = selector
  const owner = ownerKey({ layer, owner: name })
  return projects?.map((project) => ({ owner, partition: partitionKey({ layer, owner: name, project }) })) ?? { owner }
}

/** The key of a unique thing. DynamoDB keys are limited to 2 KB, so longer ones are hashed. */
export function uniqueKey(kind: 'id' | 'once' | 'commit' | 'text' | 'feed', name: string): string {
  if (Buffer.byteLength(name) <= 1024) return `${kind}=${name}`
  return `${kind}~${createHash('sha256').update(name).digest('hex')}`
}
