import type { Argument, Command, Option } from 'commander'
import { EVERY_AGENT } from '../../model/layer.ts'
import { configureCommand } from '../program.ts'
import type { Candidate, Names } from './stored-names.ts'

/** What could replace the last of these words. `names` reads the store, and is only called if needed. */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  names: (words: readonly string[]) => Promise<Names>,
): Promise<Candidate[]> {
  const before = joinEquals(words.slice(0, -1))
  const last = words.at(-1) ?? ''
  // After '--' comes another program's command line.
  if (before.includes('--')) return []
  const { command, operands } = await follow(program, before)
  const [, flag, part] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? []
  const asked = optionOf(command, flag ?? before.at(-1))
  if (asked && (asked.required || asked.optional)) {
    const values = await valuesOf(asked, () => names(before))
    const lead = flag === undefined ? '' : `${flag}=`
    return matching(part ?? (last === '=' ? '' : last), values).map((each) => ({ ...each, word: lead + each.word }))
  }
  if (last.startsWith('-')) return matching(last, flagsOf(command))
  if (command.commands.length > 0 && operands.length === 0) return matching(last, subcommandsOf(command))
  const argument = command.registeredArguments.at(operands.length) ?? variadic(command)
  return argument === undefined ? [] : matching(last, await operandsOf(argument, command, () => names(before)))
}

/** Bash splits `--project=shop` into three words. */
function joinEquals(words: readonly string[]): string[] {
  return words.filter((word) => word !== '=')
}

interface Place {
  command: Command
  operands: string[]
}

async function follow(program: Command, words: readonly string[]): Promise<Place> {
  let command = program
  let operands: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (word.startsWith('-')) {
      const option = optionOf(command, word)
      if (option && (option.required || option.optional)) i++
      continue
    }
    const next = command.commands.find((each) => each.name() === word)
    if (!next) operands.push(word)
    else {
      if (command === program) await configureCommand(program, word)
      command = next
      operands = []
    }
  }
  return { command, operands }
}

function optionOf(command: Command | null, word: string | undefined): Option | undefined {
  if (word === undefined || command === null) return undefined
  return command.options.find(({ long, short }) => long === word || short === word) ?? optionOf(command.parent, word)
}

function flagsOf(command: Command): Candidate[] {
  const own = command.options
    .filter(({ hidden, long }) => !hidden && long)
    .map(({ long, description }) => ({ word: long!, about: description }))
  return command.parent === null
    ? [...own, { word: '--help', about: 'show help' }]
    : [...own, ...flagsOf(command.parent)]
}

function subcommandsOf(command: Command): Candidate[] {
  const shown = command.createHelp().visibleCommands(command)
  return shown.map((each) => ({ word: each.name(), about: each.description().split('\n', 1)[0]! }))
}

function variadic(command: Command): Argument | undefined {
  const last = command.registeredArguments.at(-1)
  return last?.variadic ? last : undefined
}

const PLAIN = (word: string): Candidate => ({ word, about: '' })

async function valuesOf({ argChoices, long }: Option, names: () => Promise<Names>): Promise<Candidate[]> {
  if (argChoices !== undefined) return argChoices.map(PLAIN)
  if (long === '--project') return (await names()).projects.map(PLAIN)
  if (long === '--agent') return [...(await names()).agents, EVERY_AGENT].map(PLAIN)
  if (long === '--session' || long === '--from-session' || long === '--shown-to') return (await names()).sessions
  return []
}

async function operandsOf(argument: Argument, command: Command, names: () => Promise<Names>): Promise<Candidate[]> {
  if (argument.argChoices !== undefined) return argument.argChoices.map(PLAIN)
  const name = argument.name()
  if (name === 'agent') return (await names()).agents.map(PLAIN)
  if (name === 'command' && command.parent === null) return subcommandsOf(command)
  if (name !== 'id') return []
  const { memories, deleted, sessions } = await names()
  if (command.name() === 'sessions') return sessions
  return command.name() === 'undelete' ? deleted : memories
}

/** A user who has started typing a whole id is offered the whole id. */
function matching(part: string, candidates: readonly Candidate[]): Candidate[] {
  const typed = part.toLowerCase()
  const begins = (word: string | undefined) => word?.toLowerCase().startsWith(typed) ?? false
  return candidates.flatMap((candidate) => {
    if (begins(candidate.word)) return candidate
    return begins(candidate.whole) ? { ...candidate, word: candidate.whole! } : []
  })
}
