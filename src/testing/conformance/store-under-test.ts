import { hashingEmbedding } from '../../embedding/hashing.ts'
import type { Nokosu } from '../../engine/nokosu.ts'
import { type MemoryOptions, openMemory } from '../../engine/open-memory.ts'
import type { Storage, VectorModel } from '../../storage/storage.ts'

/** One empty store, and how to reach it. */
export interface ConformanceStore {
  /** Another handle on the same data, as another process would have. Not yet initialized. */
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
  /** Wraps the storage that the engine uses. */
  wrap?: (storage: Storage) => Storage
}

/** What a case gets: an empty store of its own. */
export interface StoreUnderTest {
  /** An engine over a new handle on this store. It loads no model by default. */
  engine(options?: EngineOptions): Promise<Nokosu>
  /** A bare handle on this store, initialized with this model. */
  storage(model?: VectorModel): Promise<Storage>
  /** A bare handle on this store, not initialized. */
  handle(): Promise<Storage>
}

/** The model of handles that no engine opened. */
export const MODEL: VectorModel = { name: 'm1', dimensions: 4 }

/** An engine that loads no model by default, because models say nothing about a store. */
export function openPlain(options: MemoryOptions): Promise<Nokosu> {
  return openMemory({ embedding: hashingEmbedding(), relations: null, poisons: null, ...options })
}

/** Gives an empty store to `use`, and removes it afterwards in any case. */
export async function withStore(
  target: ConformanceTarget,
  use: (store: StoreUnderTest) => Promise<void>,
): Promise<void> {
  const place = await target.create()
  const closing: (() => Promise<void>)[] = []
  const handle = async () => {
    const storage = await place.open()
    closing.push(() => storage.shutdown())
    return storage
  }
  try {
    await use({
      handle,
      async storage(model = MODEL) {
        const storage = await handle()
        await storage.initialize(model)
        return storage
      },
      async engine({ wrap, ...options } = {}) {
        const storage = await handle()
        const engine = await openPlain({ ...options, storage: wrap ? wrap(storage) : storage })
        closing.push(() => engine.shutdown())
        return engine
      },
    })
  } finally {
    for (const close of closing.reverse()) await close()
    await place.destroy()
  }
}
