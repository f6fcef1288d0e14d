import { MemoryError } from '../model/errors.ts'
import type { Core } from './core.ts'

/** A call that its caller may abort. */
interface StoppableCall {
  core: Core
  /** Rejects with the signal's reason as soon as it is aborted, unless a write is in progress: that is completed first. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** The engine for one call with a signal: once aborted, it makes no further calls to the store or a model, and writes nothing. */
export function stoppable(core: Core, signal: AbortSignal): StoppableCall {
  let writing = 0
  const unlessStopped = <T>(ask: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted()
    return ask()
  }
  const own: Core = {
    ...core,
    attempt: async (work) => unlessStopped(() => core.attempt(work)),
    embedder: {
      embed: async (texts) => unlessStopped(() => core.embedder.embed(texts)),
      embedQuery: async (text) => unlessStopped(() => core.embedder.embedQuery(text)),
      failure: core.embedder.failure,
    },
    async write(work) {
      signal.throwIfAborted()
      writing++
      try {
        return await core.write(work, signal)
      } finally {
        writing--
      }
    },
  }
  return { core: own, run: (work) => unlessAborted(signal, work, () => writing === 0) }
}

/** Rejects with the signal's reason as soon as it is aborted while the call may stop. */
export async function unlessAborted<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  mayStop: () => boolean = () => true,
): Promise<T> {
  signal.throwIfAborted()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => {
    if (mayStop()) reject(signal.reason)
  }
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work(), stopped])
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Gives every call a signal option. `build` creates the calls for the engine of one call; `group` is the object they are in. */
export function withSignals<Calls extends object>(core: Core, build: (core: Core) => Calls, group?: string): Calls {
  type Call = (...values: unknown[]) => Promise<unknown>
  const calls = Object.entries(build(core)).map(([name, call]: [string, Call]) => {
    const operation = group === undefined ? name : `${group}.${name}`
    const stopping = async (...values: unknown[]) => {
      const { signal, rest } = takeSignal(operation, values)
      if (signal === null) return call(...rest)
      const { core: own, run } = stoppable(core, signal)
      return run(() => (build(own) as Record<string, Call>)[name]!(...rest))
    }
    return [name, stopping]
  })
  return Object.fromEntries(calls)
}

/** Removes the signal from a call's arguments: it is not part of the request. */
export function takeSignal(
  operation: string,
  values: readonly unknown[],
): { signal: AbortSignal | null; rest: unknown[] } {
  let found: AbortSignal | null = null
  const rest = values.map((value) => {
    if (typeof value !== 'object' || value === null || !('signal' in value)) return value
    const { signal, ...others } = value
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      const must = 'it must be an AbortSignal, such as AbortSignal.timeout(5000)'
      throw new MemoryError('INVALID_INPUT', `Invalid signal: ${must}.`, { operation, details: { field: 'signal' } })
    }
    found = signal ?? found
    return others
  })
  return { signal: found, rest }
}
