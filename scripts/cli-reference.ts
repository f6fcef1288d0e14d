/**
 * Writes docs/cli.md from the program's own help, so that the reference says what the program says:
 *   node scripts/cli-reference.ts          prints it
 *   node scripts/cli-reference.ts --write  writes docs/cli.md
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { COMMANDS } from '../src/cli/commands.ts'
import { exitCodes } from '../src/cli/exit-codes.ts'
import { configureCommand, createProgram } from '../src/cli/program.ts'
import { createShell, inShell } from '../src/cli/shell.ts'
import { ERROR_CODES } from '../src/model/errors.ts'

const file = join(import.meta.dirname, '..', 'docs', 'cli.md')

const INTRODUCTION = `# The command line

<!-- Made by \`node scripts/cli-reference.ts --write\` from the program's own help. Change that, not this. -->

Look up a command or a flag here. \`nokosu --help\` lists the commands, and \`nokosu COMMAND --help\` prints the same text as this page. Every
command takes \`--json\`.

- **Project.** \`--project\` names it, otherwise \`NOKOSU_PROJECT\`, the configuration, or the git repository around the folder. Without any of
  these a command fails with \`MISSING_IDENTIFIER\` and shows what to type. \`--all\` reads the whole store.
- **Ids.** The first or last 6 characters of an id are enough if they are unique. Tables on a terminal show the last 8, because the ids of one
  run begin alike. In a pipe, and with \`list --long\`, ids are whole.
- **Confirmation.** On a terminal, destructive commands ask first: deleting or deciding several memories, \`purge\`, \`personality delete\`. In a
  pipe they fail unless \`--yes\` is given. \`nokosu undelete\` restores a deleted memory until it is purged.
- **Completion.** \`nokosu completion bash\`, \`zsh\` or \`fish\` prints a script that completes commands, flags, names and ids.
- **Output.** Results are on standard output, remarks and errors on standard error. On a terminal tables fit its width; in a pipe nothing
  is cut or coloured. \`NO_COLOR\` switches colours off.
`

async function render(): Promise<string> {
  let written = ''
  const program = createProgram((text) => {
    written += text
  })
  const helpOf = (command: Command) => {
    written = ''
    command.outputHelp()
    return withoutGlobals(written).trim()
  }
  const parts = [INTRODUCTION, '## Exit codes\n', table(), '## For every command\n', fence(globalsOf(helpOf(program)))]
  let group = ''
  for (const [name, entry] of Object.entries(COMMANDS)) {
    if (entry.group === null) continue
    if (entry.group !== group) parts.push(`## ${entry.group}\n`)
    group = entry.group
    const command = (await configureCommand(program, name))!
    parts.push(`### nokosu ${name}\n`, fence(helpOf(command)))
    for (const sub of command.commands) parts.push(`#### nokosu ${name} ${sub.name()}\n`, fence(helpOf(sub)))
  }
  return `${parts.join('\n').trimEnd()}\n`
}

const CODES = new RegExp(`\\b(?:${Object.keys(ERROR_CODES).join('|')})\\b`, 'g')

function table(): string {
  const rows = exitCodes().map(({ code, meaning }) => `| ${code} | ${meaning.replace(CODES, '`$&`')} |`)
  return ['| code | meaning |', '|---|---|', ...rows, ''].join('\n')
}

function fence(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\`\n`
}

/** They are the same everywhere, so they are documented once. */
function withoutGlobals(help: string): string {
  return help.replace(/Global Options:\n(?: .*\n)*\n?/, '')
}

function globalsOf(help: string): string {
  return /Options:\n(?: .*\n)*/.exec(help)?.[0].trim() ?? ''
}

const surroundings = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
const text = await inShell(createShell({ ...surroundings, env: {}, cwd: '/' }), render)
if (process.argv.includes('--write')) writeFileSync(file, text)
else process.stdout.write(text)
