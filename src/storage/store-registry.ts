import { wrongSetting } from '../model/errors.ts'
import type { Storage } from './storage.ts'

/** Opens the store of a URL. */
export type StoreOpener = (url: string) => Storage | Promise<Storage>

const BUILT_IN = ['sqlite', 'memory', 'postgres', 'postgresql', 'dynamodb', 'http', 'https']
const openers = new Map<string, StoreOpener>()

/**
 * Registers a third-party store for a URL scheme: after `registerStore('redis', (url) => redisStorage(url))`,
 * `openMemory({ storage: 'redis://localhost' })` works. A later registration replaces an earlier one.
 */
export function registerStore(scheme: string, open: StoreOpener): void {
  if (typeof scheme !== 'string' || typeof open !== 'function') {
    throw wrongSetting(
      'scheme',
      "registerStore() takes a scheme and a function: registerStore('redis', (url) => redisStorage(url)).",
    )
  }
  const name = scheme.toLowerCase()
  if (!/^[a-z][a-z0-9+-]+$/.test(name) || BUILT_IN.includes(name)) {
    throw wrongSetting(
      'scheme',
      `Cannot register a store as '${scheme.slice(0, 40)}': ` +
        'a scheme consists of letters, digits, + and -, and must not be one of Nokosu’s own.',
    )
  }
  openers.set(name, open)
}

export function registeredOpener(url: string): StoreOpener | null {
  const scheme = /^\s*([a-z][a-z0-9+-]+):/i.exec(url)?.[1]?.toLowerCase()
  return (scheme !== undefined && openers.get(scheme)) || null
}
