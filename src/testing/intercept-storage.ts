import type { Storage } from '../storage/storage.ts'

export type StorageMethod = {
  [Key in keyof Omit<Storage, 'follow' | 'upgrade'>]-?: Storage[Key] extends (...args: never[]) => Promise<unknown>
    ? Key
    : never
}[keyof Omit<Storage, 'follow' | 'upgrade'>]

/** Called before every call: throw, wait, count, or read the arguments; returning lets the call continue. */
export type Interceptor = (method: StorageMethod, args: readonly unknown[]) => Promise<void> | void

export interface Intercepting {
  before?: Interceptor
  /** Called after the call. Throwing here hides its answer: the work is done, but the caller does not know. */
  after?: Interceptor
}

/** The same storage, with hooks before and after each call. */
export function interceptStorage(storage: Storage, { before, after }: Intercepting): Storage {
  return new Proxy(storage, {
    get(target, property, receiver) {
      const value: unknown = Reflect.get(target, property, receiver)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        await before?.(property as StorageMethod, args)
        const answer: unknown = await value.apply(target, args)
        await after?.(property as StorageMethod, args)
        return answer
      }
    },
  })
}

/** Fails the next `times` calls of one method with this error, then lets them through. */
export function failing(method: StorageMethod, error: Error, times: number): Interceptor & { calls: number } {
  const interceptor = Object.assign(
    (called: StorageMethod) => {
      if (called !== method) return
      interceptor.calls++
      if (interceptor.calls <= times) throw error
    },
    { calls: 0 },
  )
  return interceptor
}
