import { idSchema } from '../../model/fields.ts'
import { type Item, textOf } from './attributes.ts'

export type Place = { agentProjectKey: string; createdAt: string }

export function placeOf(item: Item): Place {
  return { agentProjectKey: textOf(item, 'agentProjectKey')!, createdAt: textOf(item, 'createdAt')! }
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.agentProjectKey === b.agentProjectKey && a.createdAt === b.createdAt
}

export function nameOfPlace({ agentProjectKey, createdAt }: Place): string {
  return `${agentProjectKey} ${createdAt}`
}

/** The id of an item without an id of its own, or whose id is taken. null if its place is too long for an id. */
export function idOfPlace({ agentProjectKey, createdAt }: Place): string | null {
  const id = `${agentProjectKey}#${createdAt}`
  return idSchema.safeParse(id).success ? id : null
}

export function placeOfId(id: string): Place | null {
  const cut = id.lastIndexOf('#')
  return cut <= 0 || cut === id.length - 1 ? null : { agentProjectKey: id.slice(0, cut), createdAt: id.slice(cut + 1) }
}

/** The partition for items that other programs must not read. No layer has this name. */
const HIDDEN = '@hidden#'

export function hiddenPartition(partition: string): string {
  return `${HIDDEN}${partition}`
}

/** The partition that an item belongs to, wherever it is stored. */
export function partitionOf({ agentProjectKey }: Place): string {
  return agentProjectKey.startsWith(HIDDEN) ? agentProjectKey.slice(HIDDEN.length) : agentProjectKey
}
