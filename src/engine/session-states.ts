import type { ScopeSelector } from '../model/layer.ts'
import type { Trace } from '../recall/moment/trace.ts'

/** What recall knows about a running session in this process, so that a moment need not ask the store. */
export interface SessionState {
  /** What the caller may read; null is the whole store. Refreshed at every prompt. */
  scopes: readonly ScopeSelector[] | null
  /** Memories that the session was shown and still remembers. */
  shown: Set<string>
  /** Those that were retracted, after the session was told. */
  told: Set<string>
  /** Lines shown since the last prompt. */
  lines: number
  /** The topics of its moments. */
  trace: Trace
}

/** More concurrent sessions than one process serves. The one idle longest is dropped, and read from the store again. */
const MOST_SESSIONS = 500

export class SessionStates {
  readonly #states = new Map<string, { session: string; state: SessionState }>()

  /** `who` distinguishes callers that use the same session names. */
  get(session: string, who: string): SessionState | null {
    const key = keyOf(session, who)
    const known = this.#states.get(key)
    if (known === undefined) return null
    this.#states.delete(key)
    this.#states.set(key, known)
    return known.state
  }

  set(session: string, who: string, state: SessionState): void {
    this.#states.set(keyOf(session, who), { session, state })
    if (this.#states.size > MOST_SESSIONS) this.#states.delete(this.#states.keys().next().value!)
  }

  /** A showing was recorded by some call. */
  noteShown(session: string, memories: readonly string[]): void {
    for (const known of this.#states.values()) {
      if (known.session === session) for (const id of memories) known.state.shown.add(id)
    }
  }
}

function keyOf(session: string, who: string): string {
  return JSON.stringify([session, who])
}
