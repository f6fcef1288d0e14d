import { MemoryError } from '../model/errors.ts'
import type { Capabilities } from './capabilities.ts'
import type { Commit, Write } from './commit.ts'
import type { Storage } from './storage.ts'

/** Checks shared by all backends: unusable handles, and commits that are too large. */

export function shutDown(): MemoryError {
  return new MemoryError('PROVIDER_ERROR', 'The store was shut down.', { retryable: false })
}

export function notInitialized(): MemoryError {
  return new MemoryError('PROVIDER_ERROR', 'The store is not initialized.', { retryable: false })
}

/** A server that is starting refuses at once, so that case is retried. Waiting for a silent one is not repeated. */
export function withoutRetry(error: MemoryError): MemoryError {
  const { code, message, details, cause } = error
  return new MemoryError(code, message, { retryable: false, details, cause })
}

/** Rejects commits beyond the capabilities, in case an engine ignores them. */
export function refuseOversized({ writes }: Commit, { maxWrites, maxBytes }: Capabilities, weigh = weight): void {
  const isTooLarge = writes.length > 1 && writes.reduce((sum, write) => sum + weigh(write), 0) > maxBytes
  if (writes.length <= maxWrites && !isTooLarge) return
  const message = `A commit takes ${maxWrites} writes and ${maxBytes} bytes at most.`
  throw new MemoryError('UNSUPPORTED', message, { details: { maxWrites, maxBytes } })
}

/** A rough size in bytes: only texts and metadata can be large. */
function weight(write: Write): number {
  if (write.kind !== 'insert' && write.kind !== 'update') return 0
  return write.row.memory.content.length + JSON.stringify(write.row.memory.metadata).length
}

/** The store with some of its methods replaced. */
export function withMethods(storage: Storage, own: Partial<Storage>): Storage {
  return new Proxy(storage, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof Storage]
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
