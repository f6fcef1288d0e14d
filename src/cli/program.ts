import { Command } from 'commander'
import { LOG_LEVELS } from '../observe/log.ts'
import { toOption } from './command.ts'
import { COMMANDS } from './commands.ts'
import { describeExitCodes, HELP, helpWidth, wrapHelp } from './help.ts'
import { writeError } from './output.ts'
import { oneOf } from './parse-flags.ts'

const EXAMPLES = `
Examples:
  nokosu demo
  nokosu add --category timing --service jellyfin "Takes 60s to start"
  nokosu search slow start
  nokosu run --agent nori -- claude -p "fix the login redirect"
`

const INTRODUCTION = `Memory for agents: what one run learned, the next one knows.

Inside a git repository the project is detected automatically. Elsewhere name it with --project or NOKOSU_PROJECT. Ids may be
shortened to their first or last 6 characters.`

/** The program with the command that the words begin with, otherwise with all by name: making them takes as long as a quick command. */
export function createProgram(writeOut: (text: string) => void, [first = '']: readonly string[] = []): Command {
  const program = new Command('nokosu')
    .description(INTRODUCTION)
    .option('--json', 'print the result as JSON')
    .option('--db <url>', 'the store, such as sqlite:path (default: .nokosu/memory.db of the project)')
    .option('--config <file>', 'the configuration file (default: nearest nokosu.config.* in this or a parent folder)')
    .addOption(toOption('--log <level>', ['minimum log level (default: warn)', oneOf(LOG_LEVELS)]))
    .option('-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp(HELP)
    .exitOverride()
    // Errors are reported in one place, in failure.ts.
    .configureOutput({
      outputError: () => {},
      writeOut: (text) => writeOut(wrapHelp(text)),
      writeErr: (text) => writeError(wrapHelp(text)),
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
    })
    .addHelpText('after', EXAMPLES)
    .addHelpText('after', describeExitCodes)
    .commandsGroup('Start here:')
    .helpCommand('help [command]', 'show help for a command')
  for (const name of Object.hasOwn(COMMANDS, first) ? [first] : Object.keys(COMMANDS)) {
    const { summary, group } = COMMANDS[name]!
    const command = program.command(name, { hidden: group === null }).description(summary)
    if (group !== null) command.helpGroup(`${group}:`)
  }
  return program
}

/** Loads one command's own part. The others stay as they are, so that one command costs one module. */
export async function configureCommand(program: Command, name: string | undefined): Promise<Command | null> {
  const entry = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!entry) return null
  const command = program.commands.find((each) => each.name() === name)!
  ;(await entry.load()).configure(command)
  return command
}
