import type { Memory } from '../../model/memory.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import { type Item, numberOf, type PlainItem, textOf } from './attributes.ts'

/** Records are kept whole as JSON, beside what they are found by. `order` sorts as their lists do. */
function recordOf<Value>(item: Item): Value {
  return JSON.parse(textOf(item, 'record')!) as Value
}

export function changeItem(change: Change): PlainItem {
  const { memory, version, at } = change
  return { memory, version, at, record: JSON.stringify(change) }
}
export const toChange = (item: Item): Change => recordOf<Change>(item)

/** What another program wrote has no history: it begins with their words. */
export function foreignChange(memory: Memory): Change {
  const { id, version, updatedAt: at } = memory
  return { memory: id, version, operation: 'create', at, by: 'another program', after: memory }
}

const sessionOrder = ({ startedAt, id }: Pick<Session, 'startedAt' | 'id'>) => `${startedAt}#${id}`
export const projectPlace = (project: string) => `project#${project}`
export const agentPlace = (agent: string) => `agent#${agent}`

export function sessionItem(session: Session, revision: number): PlainItem {
  const { id, agent, project } = session
  const place = project !== null ? projectPlace(project) : agent !== null ? agentPlace(agent) : null
  const found = place === null ? {} : { place, order: sessionOrder(session) }
  return { id, ...found, revision, record: JSON.stringify(session) }
}
export const toSession = (item: Item): Session => recordOf<Session>(item)
export const revisionOf = (item: Item): number => numberOf(item, 'revision') ?? 0

export const injectionOrder = ({ at, position, id }: Pick<Injection, 'at' | 'position' | 'id'>) =>
  `${at}#${String(position).padStart(16, '0')}#${id}`
export function injectionItem(injection: Injection): PlainItem {
  const { id, session, memory } = injection
  return { id, session, memory, order: injectionOrder(injection), record: JSON.stringify(injection) }
}
export const toInjection = (item: Item): Injection => recordOf<Injection>(item)

const eventOrder = ({ at, id }: Pick<WorkflowEvent, 'at' | 'id'>) => `${at}#${id}`
export function eventItem(event: WorkflowEvent): PlainItem {
  const { id, session, identifiers } = event
  return {
    id,
    order: eventOrder(event),
    ...(session === null ? {} : { session }),
    ...(identifiers.projectId === undefined ? {} : { project: identifiers.projectId }),
    record: JSON.stringify(event),
  }
}
export const toEvent = (item: Item): WorkflowEvent => recordOf<WorkflowEvent>(item)
