import { reportFailure } from './failure.ts'
import { watchInterruption } from './interruption.ts'
import { runInShell } from './run-command.ts'
import { processShell } from './shell.ts'

/** The program runs one command. */

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader stopped reading, as in `nokosu list | head`. That is no failure.
  process.exit(error.code === 'EPIPE' ? 0 : reportFailure(error, { json: false }))
})
watchInterruption()
// Not awaited at the top level: a bundler may put commands into this module, and importing them would then wait for itself.
void runInShell(process.argv.slice(2), processShell()).then((code) => {
  process.exitCode = code
})
