import type { Memory } from '../../model/memory.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { PositionPart } from '../position.ts'
import { EVENTS, INJECTIONS, SESSIONS } from '../reference/sortings.ts'
import { type Item, numberOf, type PlainItem, textOf } from './attributes.ts'

/** A record is stored whole as JSON, next to the attributes it is found by. */
export function recordOf<Value>(item: Item): Value {
  return JSON.parse(textOf(item, 'record')!) as Value
}

/** The sort key of a record: one text that sorts in the order of its list. */
export function orderOf(parts: readonly PositionPart[]): string {
  return parts.map((part) => (typeof part === 'number' ? String(part).padStart(16, '0') : part)).join('#')
}

export function changeItem(change: Change): PlainItem {
  const { memory, version, at } = change
  return { memory, version, at, record: JSON.stringify(change) }
}

/** A memory from another program has no history here: it starts with their content. */
export function foreignChange(memory: Memory): Change {
  const { id, version, updatedAt: at } = memory
  return { memory: id, version, operation: 'create', at, by: 'another program', after: memory }
}

export const projectPlace = (project: string) => `project#${project}`
export const agentPlace = (agent: string) => `agent#${agent}`

export function sessionItem(session: Session, revision: number): PlainItem {
  const { id, agent, project } = session
  const place = project !== null ? projectPlace(project) : agent !== null ? agentPlace(agent) : null
  const found = place === null ? {} : { place, order: orderOf(SESSIONS.by(session)) }
  return { id, ...found, revision, record: JSON.stringify(session) }
}

export function revisionOf(item: Item): number {
  return numberOf(item, 'revision') ?? 0
}

export function injectionItem(injection: Injection): PlainItem {
  const { id, session, memory } = injection
  return { id, session, memory, order: orderOf(INJECTIONS.by(injection)), record: JSON.stringify(injection) }
}

export function eventItem(event: WorkflowEvent): PlainItem {
  const { id, session, identifiers } = event
  return {
    id,
    order: orderOf(EVENTS.by(event)),
    ...(session === null ? {} : { session }),
    ...(identifiers.projectId === undefined ? {} : { project: identifiers.projectId }),
    record: JSON.stringify(event),
  }
}
