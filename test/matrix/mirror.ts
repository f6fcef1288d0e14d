import { expect } from 'vitest'
import type { Capabilities } from '../../src/storage/capabilities.ts'
import type { Storage } from '../../src/storage/storage.ts'

/**
 * One store in front of several: every write goes to all of them, so that all have the same ids and must give the same answers. Reads use
 * the first.
 */
export function mirror(stores: readonly Storage[]): Storage {
  const [first] = stores
  const each = async <T>(call: (store: Storage) => Promise<T>): Promise<T> => {
    const [answer, ...others] = await Promise.all(stores.map(call))
    for (const [i, other] of others.entries()) expect(other, stores[i + 1]!.name).toEqual(answer)
    return answer!
  }
  const shared: Partial<Storage> = {
    name: 'mirror',
    capabilities: least(stores.map(({ capabilities }) => capabilities)),
    initialize: (model) => each((store) => store.initialize(model)),
    shutdown: () => each((store) => store.shutdown()),
    commit: (commit) => each((store) => store.commit(commit)),
    purge: async (options) => {
      const [report] = await Promise.all(stores.map((store) => store.purge(options)))
      return report!
    },
  }
  return new Proxy(first!, {
    get(target, property) {
      const own: unknown = Reflect.get(shared, property)
      if (own !== undefined) return own
      const value: unknown = Reflect.get(target, property)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function least(all: readonly Capabilities[]): Capabilities {
  const smallest = (name: 'maxWrites' | 'maxBytes' | 'maxContentLength') =>
    Math.min(...all.map((capabilities) => capabilities[name]))
  return {
    ...all[0]!,
    maxWrites: smallest('maxWrites'),
    maxBytes: smallest('maxBytes'),
    maxContentLength: smallest('maxContentLength'),
  }
}
