/** One style of paging: `after` is `next` of the page before, of the same query; null starts. */
interface Paged {
  after: string | null
  limit: number
}

export interface ChangeQuery extends Paged {
  /** Of this memory; null is the whole store. */
  memory: string | null
}

/** The sessions that a query of showings names; null is all of them. */
export function sessionsAsked({ session }: Pick<InjectionQuery, 'session'>): readonly string[] | null {
  return typeof session === 'string' ? [session] : session
}

/** Sessions that match any of these; null is the whole store. */
export interface SessionQuery extends Paged {
  any: readonly SessionSelector[] | null
}

export type SessionSelector = { id: string } | { project: string } | { agent: string; project: null }

/** Of a session, of any of several, or of a memory; both null is the whole store. */
export interface InjectionQuery extends Paged {
  session: string | readonly string[] | null
  memory: string | null
}

/** Events that match any of these; null is the whole store. */
export interface EventQuery extends Paged {
  any: readonly EventSelector[] | null
}

/** By `identifiers.projectId`, or by session. */
export type EventSelector = { project: string } | { session: string }
