import { type Command, CommanderError } from 'commander'
import { packageVersion } from '../package/package-version.ts'
import { reportFailure } from './failure.ts'
import { INTERRUPTED, wasInterrupted } from './interruption.ts'
import { write } from './output.ts'
import { configureCommand, createProgram } from './program.ts'
import { createShell, inShell, type Shell, type Surroundings, shell } from './shell.ts'

/** Runs one command line (without the program's name) and returns its exit code. Does not change the process. */
export function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  return runInShell(args, createShell(surroundings))
}

export function runInShell(args: readonly string[], own: Shell): Promise<number> {
  own.words = args
  return inShell(own, () => run(args))
}

async function run(args: readonly string[]): Promise<number> {
  const written: Promise<void>[] = []
  const program = createProgram((text) => written.push(write(text)), args)
  let command: Command | null = null
  try {
    // Shells call this on every Tab; it is not for people.
    if (args[0] === 'complete') {
      await (await import('./completion/complete.ts')).complete(program, args)
      return 0
    }
    const { operands, unknown } = program.parseOptions([...args])
    command = await configureCommand(program, operands[0] === 'help' ? operands[1] : operands[0])
    command = command?.commands.find((each) => each.name() === operands[1]) ?? command
    if (operands.length > 0 || unknown.length > 0) await program.parseAsync(args, { from: 'user' })
    else if (program.opts<{ version?: boolean }>().version) await write(`${packageVersion()}\n`)
    else program.outputHelp()
    return wasInterrupted() ? INTERRUPTED : shell().exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    return reportFailure(error, { json: program.opts<{ json?: boolean }>().json === true, command })
  } finally {
    await Promise.all(written)
  }
}
