import { type Decision, withDecisions } from '../../lifecycle/decisions.ts'
import type { Memory } from '../../model/memory.ts'
import type { Embedding, Write } from '../../storage/commit.ts'
import { changedRow, newRow } from '../write.ts'

interface Pending {
  memory: Memory
  /** Not stored yet. */
  fresh: boolean
  vector: Float32Array | null
  embedding: Embedding | null
  once: string[]
}

/** New or changed memories of one batch; their stored state is outdated. */
export class PendingMemories {
  readonly #pending = new Map<string, Pending>()

  get(id: string): Pending | undefined {
    return this.#pending.get(id)
  }

  all(): Pending[] {
    return [...this.#pending.values()]
  }

  /** The one with this once-key. */
  taking(key: string): Memory | undefined {
    return this.all().find(({ once }) => once.includes(key))?.memory
  }

  current(memory: Memory): Memory {
    return this.#pending.get(memory.id)?.memory ?? memory
  }

  add(memory: Memory, embedding: Embedding, once: string[]): void {
    this.#pending.set(memory.id, { memory, fresh: true, vector: embedding.vector, embedding, once })
  }

  /** However often a batch changes a memory, it is one version. */
  change(
    memory: Memory,
    fields: Partial<Memory>,
    { once = [], decisions = [] }: { once?: readonly string[]; decisions?: readonly Decision[] } = {},
  ): Memory {
    const pending = this.#pending.get(memory.id)
    const changed = { ...(pending?.memory ?? { ...memory, version: memory.version + 1 }), ...fields }
    changed.metadata = withDecisions(changed, changed.version, decisions)
    if (pending) {
      pending.memory = changed
      pending.once.push(...once)
    } else {
      this.#pending.set(memory.id, { memory: changed, fresh: false, vector: null, embedding: null, once: [...once] })
    }
    return changed
  }

  /** New memories first: where the store takes few writes at once, nothing is weakened by what is not there yet. */
  writes(): Write[] {
    const { fresh = [], known = [] } = Object.groupBy(this.all(), (each) => (each.fresh ? 'fresh' : 'known'))
    return [...fresh.map(insertion), ...known.map(alteration)]
  }
}

function insertion({ memory, embedding, once }: Pending): Write {
  return { kind: 'insert', row: newRow(memory, embedding), ...(once.length > 0 ? { once } : {}) }
}

function alteration({ memory, once }: Pending): Write {
  return { kind: 'update', row: changedRow(memory), ...(once.length > 0 ? { once: [...new Set(once)] } : {}) }
}
