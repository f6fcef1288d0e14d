import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { hashingEmbedding } from '../../embedding/hashing.ts'
import { type MemoryOptions, type Nokosu, openMemory } from '../../engine/open-memory.ts'
import type { Storage } from '../../storage/storage.ts'

/** One empty store, and how to reach it. */
export interface ConformanceStore {
  /** Another handle on the same data, as another process would have. */
  open(): Promise<Storage>
  /** Removes the data. All handles are shut down before. */
  destroy(): Promise<void>
}

export interface ConformanceTarget {
  /** Named in the titles, such as `sqlite`. */
  name: string
  /** Makes an empty store that nobody else uses. */
  create(): Promise<ConformanceStore>
}

export interface EngineOptions extends Partial<Omit<MemoryOptions, 'storage'>> {
  /** Puts something between engine and storage. */
  wrap?: (storage: Storage) => Storage
}

export interface StoreUnderTest {
  /** An engine over a new handle on this store. Hashing embeddings unless told otherwise. */
  engine(options?: EngineOptions): Promise<Nokosu>
  /** A bare handle on this store. */
  storage(): Promise<Storage>
}

/** Gives each test of the surrounding `describe` an empty store; `'all'`: one store for all of them. */
export function useStore(target: ConformanceTarget, per: 'each' | 'all' = 'each'): StoreUnderTest {
  let store: ConformanceStore
  let closing: (() => Promise<void>)[] = []
  const setUp = async () => {
    store = await target.create()
  }
  const tearDown = async () => {
    for (const close of closing) await close()
    closing = []
    await store.destroy()
  }
  if (per === 'each') {
    beforeEach(setUp)
    afterEach(tearDown)
  } else {
    beforeAll(setUp)
    afterAll(tearDown)
  }
  return {
    async engine({ wrap, ...options } = {}) {
      const storage = await store.open()
      const embedding = hashingEmbedding()
      const engine = await openMemory({ embedding, ...options, storage: wrap ? wrap(storage) : storage })
      closing.push(() => engine.shutdown())
      return engine
    },
    async storage() {
      const storage = await store.open()
      await storage.initialize()
      closing.push(() => storage.shutdown())
      return storage
    },
  }
}
