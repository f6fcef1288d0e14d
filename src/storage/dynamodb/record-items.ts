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

/**
 * A history entry for what another program wrote. If the memory was ours before, its history continues, because their item has no version.
 */
export function foreignChange(memory: Memory, past: Change | undefined): Change {
  const { id, updatedAt: at } = memory
  const version = Math.max(memory.version, (past?.version ?? 0) + 1)
  const operation = past && past.operation !== 'delete' ? 'update' : 'create'
  return { memory: id, version, operation, at, by: 'another program', after: atVersion(memory, version) }
}

/** The memory as another version of it, with the decisions that led to that version. */
export function atVersion(memory: Memory, version: number): Memory {
  const { decisions } = memory.metadata as { decisions?: { version?: number } }
  const isLatest = decisions?.version === memory.version
  const metadata = isLatest ? { ...memory.metadata, decisions: { ...decisions, version } as never } : memory.metadata
  return { ...memory, version, metadata }
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
