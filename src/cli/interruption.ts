import { processShell, shell } from './shell.ts'

/** What a shell reports for a program that Ctrl-C ended. */
export const INTERRUPTED = 130

/**
 * From now on Ctrl-C asks the command to stop at its next safe point; a second one ends it at once. Commands that never
 * call this end at once: every write to a store is a transaction, so none is left half done. `expected`: the
 * command, such as a server, ends by being stopped, and that is no failure.
 */
export function stopSignal({ expected = false }: { expected?: boolean } = {}): AbortSignal {
  const own = shell()
  own.stop ??= new AbortController()
  own.stopIsExpected = expected
  return own.stop.signal
}

export function wasInterrupted(): boolean {
  const { stop, stopIsExpected } = shell()
  return !stopIsExpected && (stop?.signal.aborted ?? false)
}

function onSignal(): void {
  const { stop } = processShell()
  if (stop === null || stop.signal.aborted) process.exit(INTERRUPTED)
  stop.abort(new Error('interrupted'))
}

export function watchInterruption(): void {
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

/** For a command that passes signals on to another process. */
export function leaveSignalsAlone(): void {
  process.off('SIGINT', onSignal)
  process.off('SIGTERM', onSignal)
}
