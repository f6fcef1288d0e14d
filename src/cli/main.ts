import { reportFailure } from './failure.ts'
import { watchInterruption } from './interruption.ts'
import { runInShell } from './run-command.ts'
import { processShell } from './shell.ts'

const own = processShell()
const fail = (error: unknown) => void reportFailure(error, { json: false }).then((code) => process.exit(code))
own.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader stopped reading, as in `nokosu list | head`. That is no failure.
  if (error.code === 'EPIPE') process.exit(0)
  fail(error)
})
// Node would print the error itself, with whatever its message holds.
process.on('uncaughtException', fail)
watchInterruption()
// Not awaited at the top level: a bundler may put commands into this module, and importing them would then wait for itself.
void runInShell(process.argv.slice(2), own).then((code) => {
  process.exitCode = code
})
