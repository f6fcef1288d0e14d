import { reportFailure } from './failure.ts'
import { watchInterruption } from './interruption.ts'
import { writeError } from './output.ts'
import { runInShell } from './run-command.ts'
import { processShell } from './shell.ts'

const own = processShell()
const fail = (error: unknown) => void reportFailure(error, { json: false }).then((code) => process.exit(code), giveUp)

/** Without the guard the error cannot be shown: an upgrade of the package may have removed it from under this process. */
function giveUp(): void {
  try {
    writeError('nokosu: UNEXPECTED Nokosu failed, and so did reporting why. Was the package removed or upgraded?\n')
  } finally {
    process.exit(1)
  }
}

own.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader stopped reading, as in `nokosu list | head`. Not a failure.
  if (error.code === 'EPIPE') process.exit(0)
  fail(error)
})
// Node would print the raw error message.
process.on('uncaughtException', fail)
watchInterruption()
// Not awaited at the top level: a bundler may put commands into this module, and importing them would deadlock.
void runInShell(process.argv.slice(2), own).then((code) => {
  process.exitCode = code
})
