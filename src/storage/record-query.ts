/** Paging: `after` is `next` of the previous page of the same query; null to start. */
interface Paged {
  after: string | null
  limit: number
}

export interface ChangeQuery extends Paged {
  /** One or more memories; null for the whole store. */
  memory: string | readonly string[] | null
}

/** The ids that a query names; null for all. */
export function idsAsked(given: string | readonly string[] | null): readonly string[] | null {
  return typeof given === 'string' ? [given] : given
}

/** Sessions that match any of these; null for the whole store. */
export interface SessionQuery extends Paged {
  any: readonly SessionSelector[] | null
}

export type SessionSelector = { id: string } | { project: string } | { agent: string; project: null }

/** By one or more sessions, or by memory; both null for the whole store. */
export interface InjectionQuery extends Paged {
  session: string | readonly string[] | null
  memory: string | null
}

/** Events that match any of these; null for the whole store. */
export interface EventQuery extends Paged {
  any: readonly EventSelector[] | null
}

/** By `identifiers.projectId`, or by session. */
export type EventSelector = { project: string } | { session: string }
