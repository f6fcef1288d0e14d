import type { Capabilities } from '../../storage/capabilities.ts'
import { checkedStorage } from '../../storage/checked-storage.ts'
import type { Storage, VectorModel } from '../../storage/storage.ts'

/** The store of a server, for those who use it as theirs. */
export interface StorageHost {
  capabilities(): Promise<Capabilities>
  /** The store with the vectors of this model. */
  at(model: VectorModel): Promise<Storage>
  close(): Promise<void>
}

/** Handles that are kept open: clients that share a store mostly share a model. */
const MOST_HANDLES = 8

/** Opens the store anew for each model that clients use: a handle compares the vectors of one. */
export function storageHost(open: () => Promise<Storage>): StorageHost {
  const handles = new Map<string, Promise<Storage>>()
  let closed = false

  const opened = async (model: VectorModel): Promise<Storage> => {
    const storage = await open()
    await storage.initialize(model)
    return checkedStorage(storage)
  }
  const drop = async (key: string): Promise<void> => {
    const handle = handles.get(key)
    handles.delete(key)
    await (await handle?.catch(() => null))?.shutdown()
  }
  return {
    async capabilities() {
      const [known] = handles.values()
      const storage = await (known ?? open())
      const { capabilities } = storage
      if (known === undefined) await storage.shutdown()
      return capabilities
    },
    async at(model) {
      const key = JSON.stringify([model.name, model.dimensions])
      let handle = handles.get(key)
      if (handle === undefined) {
        handle = opened(model)
        handles.set(key, handle)
        // The next request tries again.
        handle.catch(() => handles.delete(key))
        if (handles.size > MOST_HANDLES) await drop(handles.keys().next().value!)
      }
      const storage = await handle
      if (closed) await drop(key)
      return storage
    },
    async close() {
      closed = true
      await Promise.all([...handles.keys()].map(drop))
    },
  }
}
