import type { ScopeSelector } from '../model/layer.ts'
import type { Trace } from '../recall/moment/trace.ts'

/** What recall knows of a session that is going on in this process, so that a moment need not ask the store for it. */
export interface SessionState {
  /** What the caller may read; null is the whole store. Read again at every prompt. */
  scopes: readonly ScopeSelector[] | null
  /** Memories that the session was shown and still remembers. */
  shown: Set<string>
  /** Those of them that were retracted, and that it was told of. */
  told: Set<string>
  /** Lines shown since the last prompt. */
  lines: number
  /** What its moments were about. */
  trace: Trace
}

/** More sessions at a time than one process serves. The one that was quiet longest is forgotten, and read from the store again. */
const MOST_SESSIONS = 500

export class SessionStates {
  readonly #states = new Map<string, { session: string; state: SessionState }>()

  /** `who` tells apart callers that give their sessions the same name. */
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

  /** A showing was recorded, by whichever call. */
  noteShown(session: string, memories: readonly string[]): void {
    for (const known of this.#states.values()) {
      if (known.session === session) for (const id of memories) known.state.shown.add(id)
    }
  }
}

function keyOf(session: string, who: string): string {
  return JSON.stringify([session, who])
}
