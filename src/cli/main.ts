import { reportFailure } from './failure.ts'
import { watchInterruption } from './interruption.ts'
import { runInShell } from './run-command.ts'
import { processShell } from './shell.ts'

/** The program: one command, in this process. */

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has seen enough: `nokosu list | head` is not a failure.
  process.exit(error.code === 'EPIPE' ? 0 : reportFailure(error, { json: false }))
})
watchInterruption()
// Not awaited at the top: a bundler may put a command into this same module, which then could not be imported by it.
void runInShell(process.argv.slice(2), processShell()).then((code) => {
  process.exitCode = code
})
