import { Command, CommanderError, Option } from 'commander'
import { COMMANDS } from './commands.ts'
import { describeExitCodes, reportFailure } from './failure.ts'
import { INTERRUPTED, wasInterrupted } from './interruption.ts'
import { write, writeError } from './output.ts'
import { packageVersion } from './package-info.ts'
import { createShell, inShell, type Shell, type Surroundings, shell } from './shell.ts'

const EXAMPLES = `
Examples:
  nokosu add --project shop --category timing --service jellyfin "Takes 60s to start"
  nokosu search --project shop "slow start"
  nokosu list --project shop --json`

/** Runs one command line (without the program's name) and returns its exit code. Changes nothing of the process. */
export function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  return runInShell(args, createShell(surroundings))
}

export function runInShell(args: readonly string[], own: Shell): Promise<number> {
  return inShell(own, () => run(args))
}

async function run(args: readonly string[]): Promise<number> {
  const written: Promise<void>[] = []
  const program = createProgram((text) => written.push(write(text)))
  try {
    const { operands, unknown } = program.parseOptions([...args])
    const name = operands[0] === 'help' ? operands[1] : operands[0]
    const entry = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (entry) (await entry.load()).configure(program.commands.find((command) => command.name() === name)!)
    if (operands.length > 0 || unknown.length > 0) await program.parseAsync(args, { from: 'user' })
    else if (program.opts<{ version?: boolean }>().version) await write(`${packageVersion()}\n`)
    else program.outputHelp()
    return wasInterrupted() ? INTERRUPTED : shell().exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    return reportFailure(error, { json: program.opts<{ json?: boolean }>().json === true })
  } finally {
    await Promise.all(written)
  }
}

function createProgram(writeOut: (text: string) => void): Command {
  const program = new Command('nokosu')
    .description('Memory for agents: what one run learned, the next one knows.')
    .addOption(new Option('--json', 'print the result as JSON'))
    .option('--db <url>', 'the store, such as sqlite:path (default: .nokosu/memory.db of the project)')
    .option('--config <file>', 'the configuration file (default: nokosu.config.* found upward)')
    .option('--log <level>', 'debug, info, warn, error or silent (default: warn)')
    .option('-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    // Errors are reported in one place, in failure.ts.
    .configureOutput({ outputError: () => {}, writeOut, writeErr: writeError })
    .addHelpText('after', EXAMPLES)
    .addHelpText('after', () => `\n${describeExitCodes()}`)
  for (const [name, { summary, hidden = false }] of Object.entries(COMMANDS)) {
    program.command(name, { hidden }).description(summary)
  }
  return program
}
