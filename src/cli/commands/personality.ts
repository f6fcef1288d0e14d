import type { Command } from 'commander'
import type { Nokosu } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import type { PersonalityInput, Profile } from '../../model/personality.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, paint, printJson, printLine, write } from '../output.ts'
import { collect } from '../parse-flags.ts'
import { readText } from '../read-text.ts'
import { type Column, formatTable } from '../table.ts'

interface Options extends GlobalOptions {
  agent?: string
  stored?: boolean
  displayName?: string
  persona?: string
  trait?: string[]
  style?: string
  file?: string
  editor?: boolean
}

/** `nokosu personality` */
export function configure(command: Command): void {
  command.addHelpText(
    'after',
    `
An agent has one personality in all projects. miso, nori, koji and toro have built-in ones, which yours replace.

Examples:
  nokosu personality get nori
  nokosu personality set nori --persona "You are Nori, and you write less code than anyone." --trait brief --trait calm
  nokosu personality set wasabi --file wasabi.yaml
  nokosu personality set nori --editor
  nokosu personality delete nori`,
  )
  agentCommand(command, 'get', 'print an agent’s personality')
    .option('--stored', 'only a stored one, not the built-in default')
    .action(get)
  agentCommand(command, 'set', 'store an agent’s personality; fields you leave out keep their value')
    .option('--display-name <name>', 'its name, as in commits')
    .option('--persona <text>', "the persona, or '-' to read it from standard input")
    .option('--trait <trait>', 'a trait; may be repeated; replaces all traits', collect)
    .option('--style <text>', 'its communication style')
    .option('--file <file>', 'a JSON or YAML file with displayName, persona, traits and communicationStyle')
    .option('--editor', 'edit it in $VISUAL or $EDITOR')
    .action(set)
  command.command('list').description('list the stored personalities').action(list)
  agentCommand(command, 'delete', 'delete the stored personality; a built-in default applies again').action(remove)
}

function agentCommand(command: Command, name: string, description: string): Command {
  return command
    .command(name)
    .description(description)
    .argument('[agent]', 'the name of the agent')
    .option('--agent <name>', 'the same as the argument')
}

function readAgent(given: string | undefined, { agent }: Options): string {
  const name = given ?? agent
  if (name === undefined || (given !== undefined && agent !== undefined && given !== agent)) {
    throw new MemoryError('MISSING_IDENTIFIER', 'Name one agent.', { details: { identifier: 'agentId' } })
  }
  return name
}

async function get(given: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const agent = readAgent(given, options)
  const found = await withEngine({ ...options, json: true }, 'read', ({ personality }) =>
    options.stored ? personality.get(agent) : personality.profile(agent),
  )
  if (!found) {
    throw new MemoryError(
      'MEMORY_NOT_FOUND',
      `No personality is ${options.stored ? 'stored' : 'known'} for '${agent}'.`,
      {
        details: { agentName: agent, hint: `Set one with 'nokosu personality set ${agent}'.` },
      },
    )
  }
  if (options.json) return printJson(found)
  await write(format(found))
}

function format({ displayName, agentName, persona, traits, communicationStyle, updatedAt }: Profile): string {
  const from = updatedAt === null ? 'built-in default' : `stored ${updatedAt}`
  const lines = [
    `${paint('bold', displayName)}  ${paint('dim', `${agentName}, ${from}`)}`,
    '',
    persona,
    ...(traits.length === 0 ? [] : ['', ...traits.map((trait) => `- ${trait}`)]),
    ...(communicationStyle === '' ? [] : ['', communicationStyle]),
  ]
  return `${lines.join('\n')}\n`
}

async function set(given: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const agentName = readAgent(given, options)
  const { displayName, persona, trait, style, file, editor } = options
  const flags = {
    ...(displayName === undefined ? {} : { displayName }),
    ...(persona === undefined ? {} : { persona: await readText(persona) }),
    ...(trait === undefined ? {} : { traits: trait }),
    ...(style === undefined ? {} : { communicationStyle: style }),
  }
  if (file === undefined && !editor && Object.keys(flags).length === 0) {
    throw new MemoryError(
      'INVALID_INPUT',
      'Nothing to set: give --persona, --trait, --style, --display-name, --file or --editor.',
    )
  }
  const { readPersonalityFile, editPersonality } = await import('../personality-input.ts')
  const fromFile = file === undefined ? {} : await readPersonalityFile(file, agentName)
  const stored = await withEngine(options, 'write', async ({ personality }: Nokosu) => {
    const known = await personality.profile(agentName)
    const draft = { ...withoutTime(known, agentName), ...fromFile, ...flags, agentName }
    const wanted = editor ? await editPersonality(draft) : draft
    // The engine names what is missing or wrong.
    return personality.set(wanted as PersonalityInput)
  })
  if (options.json) return printJson(stored)
  await printLine(`${paint('green', 'Stored.')}\n\n${format(stored).trimEnd()}`)
}

function withoutTime(known: Profile | null, agentName: string): Partial<PersonalityInput> {
  if (!known) return { displayName: agentName }
  const { updatedAt, ...rest } = known
  return rest
}

const COLUMNS: readonly Column<Profile>[] = [
  { title: 'AGENT', value: (profile) => profile.agentName },
  { title: 'NAME', value: (profile) => profile.displayName },
  { title: 'STORED', value: (profile) => profile.updatedAt ?? '-' },
  { title: 'PERSONA', value: (profile) => profile.persona },
]

async function list(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const stored = await withEngine(options, 'read', ({ personality }) => personality.list())
  if (options.json) return printJson(stored)
  if (stored.length === 0) return note('No personality is stored. miso, nori, koji and toro have built-in ones.')
  await write(formatTable(stored, COLUMNS))
}

async function remove(given: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const agent = readAgent(given, options)
  const result = await withEngine(options, 'write', ({ personality }) => personality.delete(agent))
  if (options.json) return printJson(result)
  await printLine('Deleted.')
}
