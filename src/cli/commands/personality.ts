import { MemoryError } from '../../model/errors.ts'
import type { PersonalityInput, Profile } from '../../model/personality.ts'
import { nearest } from '../../model/suggest.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { commandLine, typedWith } from '../command-line.ts'
import { agree } from '../confirm.ts'
import { readText } from '../input.ts'
import { withEngine } from '../open-engine.ts'
import { note, noteEmpty, paint, printJson, printLine, write } from '../output.ts'
import { collect } from '../parse-flags.ts'
import { type Column, formatTable } from '../table.ts'

const BUILT_IN = ['miso', 'nori', 'koji', 'toro']

const AGENT = ['[agent]', 'the name of the agent'] as const
const AGENT_OPTION = { '--agent <name>': 'the same as the argument' } as const

function readAgent(given: string | undefined, { agent }: { agent?: string }): string {
  const name = given ?? agent
  if (name !== undefined && (agent === undefined || agent === name)) return name
  const details = {
    identifier: 'agentId',
    hint: "Name one, such as nori. 'nokosu personality list' shows the stored ones.",
  }
  throw new MemoryError('MISSING_IDENTIFIER', 'No agent is given.', { details })
}

const get = defineCommand({
  arguments: [AGENT],
  options: { ...AGENT_OPTION, '--stored': 'only a stored one, not the built-in default' },
  async run({ json, ...options }, given) {
    const agent = readAgent(given, options)
    const { stored = false } = options
    const found = await withEngine({ ...options, json: true }, 'read', async ({ personality }) => {
      const profile = await (stored ? personality.get(agent) : personality.profile(agent))
      return profile ?? Promise.reject(unknown(agent, stored, await personality.list()))
    })
    await (json ? printJson(found) : write(format(found)))
  },
})

function unknown(agent: string, stored: boolean, known: readonly Profile[]): MemoryError {
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

const set = defineCommand({
  arguments: [AGENT],
  options: {
    ...AGENT_OPTION,
    '--display-name <name>': 'its name, as in commits',
    '--persona <text>': "the persona, or '-' to read it from standard input",
    '--trait <trait>': ['a trait; may be repeated; replaces all traits', collect],
    '--style <text>': 'its communication style',
    '--file <file>': 'a JSON or YAML file with displayName, persona, traits and communicationStyle',
    '--editor': 'edit it in $VISUAL or $EDITOR',
    '--as-is': 'accept text that the guard refuses (weakens a check, fetches and runs, hides or leaks something)',
  },
  async run(options, given) {
    const agentName = readAgent(given, options)
    const { displayName, trait: traits, style: communicationStyle, file, editor } = options
    const persona = options.persona === undefined ? undefined : await readText(options.persona)
    const flags = withoutUndefined({ displayName, persona, traits, communicationStyle })
    if (file === undefined && !editor && Object.keys(flags).length === 0) {
      const hint = `For example:\n  ${typedWith('--persona', `You are ${agentName}, and you write short commits.`)}`
      const message = 'Nothing to set: give --persona, --trait, --style, --display-name, --file or --editor.'
      throw new MemoryError('INVALID_INPUT', message, { details: { hint } })
    }
    const { readPersonalityFile, editPersonality } = await import('../personality-input.ts')
    const fromFile = file === undefined ? {} : await readPersonalityFile(file, agentName)
    const stored = await withEngine(options, 'write', async ({ personality }) => {
      const { updatedAt: _, ...known } = (await personality.profile(agentName)) ?? {
        displayName: agentName,
        updatedAt: null,
      }
      const draft = { ...known, ...fromFile, ...flags, agentName }
      const wanted = editor ? await editPersonality(draft) : draft
      // The engine names missing or invalid fields.
      return personality.set(wanted as PersonalityInput, { asIs: options.asIs === true })
    })
    if (options.json) return printJson(stored)
    await printLine(`${paint('green', 'Stored.')}\n\n${format(stored).trimEnd()}`)
  },
})

const COLUMNS: readonly Column<Profile>[] = [
  { title: 'AGENT', value: (profile) => profile.agentName },
  { title: 'NAME', value: (profile) => profile.displayName },
  { title: 'STORED', value: (profile) => profile.updatedAt?.slice(0, 10) ?? '-', spare: 1 },
  { title: 'PERSONA', value: (profile) => profile.persona },
]

const list = defineCommand({
  async run(options) {
    const stored = await withEngine(options, 'read', ({ personality }) => personality.list())
    if (options.json) return printJson(stored)
    if (stored.length > 0) return write(formatTable(stored, COLUMNS))
    const show = commandLine('personality', 'get', 'nori')
    noteEmpty(`No personality is stored. miso, nori, koji and toro have built-in ones:\n  ${show}`)
  },
})

const remove = defineCommand({
  arguments: [AGENT],
  options: { ...AGENT_OPTION, '-y, --yes': 'do not ask' },
  async run(options, given) {
    const agent = readAgent(given, options)
    const known = await withEngine({ ...options, json: true }, 'read', ({ personality }) => personality.get(agent))
    const question = `Delete the stored personality of ${agent}? There is no undo.`
    if (known !== null && !(await agree(question, options))) return note('Nothing was deleted.')
    const result = await withEngine(options, 'change', ({ personality }) => personality.delete(agent))
    if (options.json) return printJson(result)
    if (known === null) return note(`Nothing was deleted: no personality is stored for ${agent}.`)
    await printLine(BUILT_IN.includes(agent) ? 'Deleted. The built-in one applies again.' : 'Deleted.')
  },
})

export const { configure } = defineCommand({
  commands: {
    get: ['print an agent’s personality', get],
    set: ['store an agent’s personality; fields you leave out keep their value', set],
    list: ['list the stored personalities', list],
    delete: ['delete the stored personality; a built-in default applies again', remove],
  },
  help: `
An agent has one personality in all projects. miso, nori, koji and toro have built-in ones, which yours replace.

Examples:
  nokosu personality get nori
  nokosu personality set nori --persona "You are Nori, and you write less code than anyone." --trait brief --trait calm
  nokosu personality set wasabi --file wasabi.yaml
  nokosu personality set nori --editor
  nokosu personality delete nori`,
})
