import type { Command } from 'commander'
import type { Nokosu } from '../../engine/open-memory.ts'
import { escapeTerminal } from '../../guard/escape.ts'
import { MemoryError } from '../../model/errors.ts'
import type { PersonalityInput, Profile } from '../../model/personality.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { type Column, formatTable, note, paint, printJson, printLine, write } from '../output.ts'
import { collect } from '../parse-flags.ts'
import { readText } from '../read-text.ts'

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
An agent has one personality, the same in every project. miso, nori, koji and toro have built-in ones until you set your own.

Examples:
  nokosu personality get nori
  nokosu personality set nori --persona "You are Nori, and you write less code than anyone." --trait brief --trait calm
  nokosu personality set wasabi --file wasabi.yaml
  nokosu personality set nori --editor
  nokosu personality delete nori`,
  )
  agentCommand(command, 'get', 'show who an agent is')
    .option('--stored', 'only what was set; the built-in default does not count')
    .action(get)
  agentCommand(command, 'set', 'say who an agent is; what you leave out stays')
    .option('--display-name <name>', 'its name, as it signs')
    .option('--persona <text>', "who it is, or '-' to read it from standard input")
    .option('--trait <trait>', 'what it is like; repeat it; replaces all traits', collect)
    .option('--style <text>', 'how it communicates')
    .option('--file <file>', 'a JSON or YAML file with displayName, persona, traits and communicationStyle')
    .option('--editor', 'edit it in $VISUAL or $EDITOR')
    .action(set)
  command.command('list').description('show all that were set').action(list)
  agentCommand(command, 'delete', 'forget what was set; a built-in default is back').action(remove)
}

function agentCommand(command: Command, name: string, description: string): Command {
  return command
    .command(name)
    .description(description)
    .argument('[agent]', 'the name of the agent')
    .option('--agent <name>', 'the same')
}

function readAgent(given: string | undefined, { agent }: Options): string {
  const name = given ?? agent
  if (name === undefined || (given !== undefined && agent !== undefined && given !== agent)) {
    throw new MemoryError('MISSING_IDENTIFIER', 'Say which agent, once.', { details: { identifier: 'agentId' } })
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
  const from = updatedAt === null ? 'built-in default' : `set ${updatedAt}`
  const lines = [
    `${paint('bold', escapeTerminal(displayName))}  ${paint('dim', escapeTerminal(`${agentName}, ${from}`))}`,
    '',
    ...persona.split('\n').map(escapeTerminal),
    ...(traits.length === 0 ? [] : ['', ...traits.map((trait) => `- ${escapeTerminal(trait)}`)]),
    ...(communicationStyle === '' ? [] : ['', ...communicationStyle.split('\n').map(escapeTerminal)]),
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
    // What is missing or wrong is named by the engine.
    return personality.set(wanted as PersonalityInput)
  })
  if (options.json) return printJson(stored)
  await printLine(`${paint('green', 'Set.')}\n\n${format(stored).trimEnd()}`)
}

function withoutTime(known: Profile | null, agentName: string): Partial<PersonalityInput> {
  if (!known) return { displayName: agentName }
  const { updatedAt, ...rest } = known
  return rest
}

const COLUMNS: readonly Column<Profile>[] = [
  { title: 'AGENT', value: (profile) => profile.agentName },
  { title: 'NAME', value: (profile) => profile.displayName },
  { title: 'SET', value: (profile) => profile.updatedAt ?? '-' },
  { title: 'PERSONA', value: (profile) => profile.persona },
]

async function list(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const stored = await withEngine(options, 'read', ({ personality }) => personality.list())
  if (options.json) return printJson(stored)
  if (stored.length === 0) return note('None was set. miso, nori, koji and toro have built-in ones.')
  await write(formatTable(stored, COLUMNS))
}

async function remove(given: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const agent = readAgent(given, options)
  const result = await withEngine(options, 'write', ({ personality }) => personality.delete(agent))
  if (options.json) return printJson(result)
  await printLine('Deleted.')
}
