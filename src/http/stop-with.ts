import type { OwnMemories } from '../engine/nokosu.ts'

/** The engine for one request: once its client has disconnected, it makes no further calls to the store or a model, and writes nothing. */
export function stopWith(memory: OwnMemories, request: AbortSignal): OwnMemories {
  const gone = new AbortController()
  // The server's own reason is a string.
  const stop = () => gone.abort(new DOMException('The client has gone', 'AbortError'))
  if (request.aborted) stop()
  else request.addEventListener('abort', stop, { once: true })
  const { signal } = gone
  return new Proxy(memory, {
    get(target, name: keyof OwnMemories) {
      const operation = target[name]
      if (typeof operation !== 'function' || name === 'export') return operation
      return (...values: never[]) => (operation as (...all: unknown[]) => unknown)(...values, { signal })
    },
  })
}
