import type { LoadedModel, ModelFiles, ModelOptions } from './model-files.ts'

/** A model that is loaded on first use. */
export interface LazyModel {
  use<T>(work: (model: LoadedModel) => Promise<T>): Promise<T>
  /** Unloads it once running work has ended. A later use loads it again. */
  close(): Promise<void>
}

/** What is loaded in this process, with its number of users: engines share one copy. */
const shared = new Map<string, { loading: Promise<LoadedModel>; users: number }>()

export function lazyModel(files: ModelFiles, options: ModelOptions = {}): LazyModel {
  const key = JSON.stringify([files.place, options.modelPath, options.runtime])
  let loading: Promise<LoadedModel> | null = null
  const underWay = new Set<Promise<unknown>>()

  function loaded(): Promise<LoadedModel> {
    if (loading) return loading
    const entry = shared.get(key) ?? { loading: load(files, options), users: 0 }
    shared.set(key, entry)
    entry.users++
    loading = entry.loading
    entry.loading.catch(() => {
      // The next call retries: the file may exist by then.
      loading = null
      if (shared.get(key) === entry) shared.delete(key)
    })
    return loading
  }

  /** The last user unloads it. */
  async function leave(loaded: LoadedModel): Promise<void> {
    const entry = shared.get(key)
    if (!entry || --entry.users > 0) return
    shared.delete(key)
    await loaded.network.release()
  }

  return {
    async use(work) {
      const done = loaded().then(work)
      underWay.add(done)
      return done.finally(() => underWay.delete(done))
    },
    async close() {
      const closing = loading
      loading = null
      const [loaded] = await Promise.allSettled([closing, ...underWay])
      // A failed load was reported to its callers, and left nothing to unload.
      if (loaded.status === 'fulfilled' && loaded.value) await leave(loaded.value)
    },
  }
}

async function load(files: ModelFiles, options: ModelOptions): Promise<LoadedModel> {
  const { loadModel } = await import('./load-model.ts')
  return loadModel(files, options)
}
