import type { Command } from 'commander'
import type { Nokosu } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import type { PersonalityInput, Profile } from '../../model/personality.ts'
import { commandLine, typedWith } from '../command-line.ts'
import { agree } from '../confirm.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, noteEmpty, paint, printJson, printLine, write } from '../output.ts'
import { collect } from '../parse-flags.ts'
import { readText } from '../read-text.ts'
import { nearest } from '../suggest.ts'
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
  asIs?: boolean
  yes?: boolean
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
    .option('--as-is', 'also text that would weaken a check, fetch and run, hide something or give it away')
    .action(set)
  command.command('list').description('list the stored personalities').action(list)
  agentCommand(command, 'delete', 'delete the stored personality; a built-in default applies again')
    .option('-y, --yes', 'do not ask')
    .action(remove)
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
  if (name !== undefined && (given === undefined || agent === undefined || given === agent)) return name
  const details = {
    identifier: 'agentId',
    hint: "Name one, such as nori. 'nokosu personality list' shows the stored ones.",
  }
  throw new MemoryError('MISSING_IDENTIFIER', 'Nothing says which agent this is about.', { details })
}

async function get(given: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const agent = readAgent(given, options)
  const found = await withEngine({ ...options, json: true }, 'read', async ({ personality }) => {
    const profile = await (options.stored ? personality.get(agent) : personality.profile(agent))
    return profile ?? Promise.reject(unknown(agent, options, await personality.list()))
  })
  if (options.json) return printJson(found)
  await write(format(found))
}

const BUILT_IN = ['miso', 'nori', 'koji', 'toro']

function unknown(agent: string, { stored }: Options, known: readonly Profile[]): MemoryError {
  const set = commandLine('personality', 'set', agent, '--persona', `You are ${agent}, and you write short commits.`)
  const names = [...known.map(({ agentName }) => agentName), ...(stored ? [] : BUILT_IN)]
  const meant = nearest(agent, names)
  const hint = meant === null ? `It works without one. To give it one:\n  ${set}` : `Did you mean ${meant}?`
  return new MemoryError('MEMORY_NOT_FOUND', `The agent ${agent} has no${stored ? ' stored' : ''} personality.`, {
    details: { agentName: agent, hint },
  })
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
      {
        details: {
          hint: `Such as:\n  ${typedWith('--persona', `You are ${agentName}, and you write short commits.`)}`,
        },
      },
    )
  }
  const { readPersonalityFile, editPersonality } = await import('../personality-input.ts')
  const fromFile = file === undefined ? {} : await readPersonalityFile(file, agentName)
  const stored = await withEngine(options, 'write', async ({ personality }: Nokosu) => {
    const known = await personality.profile(agentName)
    const draft = { ...withoutTime(known, agentName), ...fromFile, ...flags, agentName }
    const wanted = editor ? await editPersonality(draft) : draft
    // The engine names what is missing or wrong.
    return personality.set(wanted as PersonalityInput, { asIs: options.asIs === true })
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
  { title: 'STORED', value: (profile) => profile.updatedAt?.slice(0, 10) ?? '-', spare: 1 },
  { title: 'PERSONA', value: (profile) => profile.persona },
]

async function list(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const stored = await withEngine(options, 'read', ({ personality }) => personality.list())
  if (options.json) return printJson(stored)
  if (stored.length === 0) {
    const show = commandLine('personality', 'get', 'nori')
    return noteEmpty(`No personality is stored. miso, nori, koji and toro have built-in ones:\n  ${show}`)
  }
  await write(formatTable(stored, COLUMNS))
}

async function remove(given: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const agent = readAgent(given, options)
  const known = await withEngine({ ...options, json: true }, 'read', ({ personality }) => personality.get(agent))
  const question = `Delete the stored personality of ${agent}? There is no undo.`
  if (known !== null && !(await agree(question, options))) return note('Nothing was deleted.')
  const result = await withEngine(options, 'change', ({ personality }) => personality.delete(agent))
  if (options.json) return printJson(result)
  if (known === null) return note(`Nothing was deleted: no personality is stored for ${agent}.`)
  await printLine(BUILT_IN.includes(agent) ? 'Deleted. The built-in one applies again.' : 'Deleted.')
}
