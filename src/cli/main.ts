import { reportFailure } from './failure.ts'
import { watchInterruption } from './interruption.ts'
import { runInShell } from './run-command.ts'
import { processShell } from './shell.ts'

/** The program runs one command. */

const own = processShell()
own.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader stopped reading, as in `nokosu list | head`. That is no failure.
  process.exit(error.code === 'EPIPE' ? 0 : reportFailure(error, { json: false }))
})
// Node would print the error itself, with whatever its message holds.
process.on('uncaughtException', (error) => process.exit(reportFailure(error, { json: false })))
watchInterruption()
// Not awaited at the top level: a bundler may put commands into this module, and importing them would then wait for itself.
void runInShell(process.argv.slice(2), own).then((code) => {
  process.exitCode = code
})
