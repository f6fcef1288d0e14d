/** What a shell reports for a program that Ctrl-C ended. */
export const INTERRUPTED = 130

let controller: AbortController | null = null
let stopIsExpected = false

/**
 * From now on Ctrl-C asks the command to stop at its next safe point; a second one ends it at once. Commands that never
 * call this end at once: every write to a store is a transaction, so none is left half done. `expected`: being stopped is
 * how the command ends, as a server does, and no failure.
 */
export function stopSignal({ expected = false }: { expected?: boolean } = {}): AbortSignal {
  controller ??= new AbortController()
  stopIsExpected = expected
  return controller.signal
}

export function wasInterrupted(): boolean {
  return !stopIsExpected && (controller?.signal.aborted ?? false)
}

function stop(): void {
  if (controller === null || controller.signal.aborted) process.exit(INTERRUPTED)
  controller.abort(new Error('interrupted'))
}

export function watchInterruption(): void {
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

/** For a command that passes signals on to another process. */
export function leaveSignalsAlone(): void {
  process.off('SIGINT', stop)
  process.off('SIGTERM', stop)
}
