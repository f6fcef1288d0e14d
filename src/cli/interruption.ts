import { processShell, shell } from './shell.ts'

/** A shell's exit code for a program ended by Ctrl-C. */
export const INTERRUPTED = 130

/**
 * From now on Ctrl-C asks the command to stop at its next safe point; a second one ends it immediately. Commands that never
 * call this end immediately: every write to a store is a transaction, so none is left half done. `expected`: stopping is
 * how the command, such as a server, normally ends.
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
