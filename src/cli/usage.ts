import type { Command, CommanderError } from 'commander'
import { nearest } from '../model/suggest.ts'
import { COMMANDS } from './commands.ts'
import { shell } from './shell.ts'

/** Common names for commands that have another name here. */
const OTHER_NAMES: Record<string, string> = {
  ...{ remember: 'add', store: 'add', save: 'add', note: 'add', new: 'add' },
  ...{ find: 'search', recall: 'search', query: 'search', grep: 'search', ask: 'search' },
  ...{ ls: 'list', all: 'list', show: 'get', view: 'get', cat: 'get', log: 'history', diff: 'history' },
  ...{
    edit: 'update',
    change: 'update',
    set: 'update',
    forget: 'delete',
    rm: 'delete',
    remove: 'delete',
    del: 'delete',
  },
  ...{ restore: 'undelete', recover: 'undelete', undo: 'undelete', status: 'doctor', check: 'doctor', info: 'doctor' },
  ...{
    config: 'doctor',
    stats: 'doctor',
    version: '--version',
    init: 'setup',
    install: 'setup',
    uninstall: 'setup --undo',
  },
  ...{
    backup: 'export',
    dump: 'export',
    load: 'import',
    server: 'serve',
    ui: 'serve',
    web: 'serve',
    dashboard: 'serve',
  },
  ...{ agents: 'personality', runs: 'sessions', prompt: 'recording', gc: 'purge', start: 'run' },
}

export function explainUsage(error: CommanderError, command: Command | null): { message: string; hint: string } {
  const message = error.message.replace(/^error: /, '').replace(/\n\((Did you mean [^)]*)\)$/, '. $1')
  const help = command === null ? 'nokosu --help' : `nokosu ${pathOf(command)} --help`
  if (error.code === 'commander.excessArguments' && (command?.commands.length ?? 0) > 0) return unknownCommand(command)
  switch (error.code) {
    case 'commander.unknownCommand':
      return unknownCommand(command)
    case 'commander.unknownOption':
      return {
        message: sentence(message),
        hint: /Did you mean/.test(message) || command === null ? `'${help}' lists the flags.` : asText(command, help),
      }
    case 'commander.missingArgument':
      return { message: missing(message, command), hint: `Usage: nokosu ${usageOf(command)}\n'${help}' has examples.` }
    case 'commander.excessArguments':
    case 'commander.missingMandatoryOptionValue':
      return { message: sentence(message), hint: `Usage: nokosu ${usageOf(command)}\n'${help}' has examples.` }
    case 'commander.optionMissingArgument':
      return { message: sentence(message), hint: `'${help}' shows how to use it.` }
    case 'commander.conflictingOption':
      return { message: sentence(message), hint: 'Leave one of them out.' }
    default:
      return { message: sentence(message), hint: `'${help}' shows how to use it.` }
  }
}

function missing(message: string, command: Command | null): string {
  const name = /argument '([^']+)'/.exec(message)?.[1]
  const argument = command?.registeredArguments.find((each) => each.name() === name)
  return argument === undefined ? sentence(message) : `<${name}> is missing: ${argument.description}.`
}

function unknownCommand(command: Command | null): { message: string; hint: string } {
  const given = shell().words.filter((word) => !word.startsWith('-'))
  if (command !== null) {
    const word = given[given.indexOf(command.name()) + 1] ?? ''
    const names = command.commands.map((each) => each.name())
    return suggested(
      `There is no command '${pathOf(command)} ${word}'.`,
      nearest(word, names),
      `nokosu ${pathOf(command)} --help`,
    )
  }
  const word = given.find((each) => !Object.hasOwn(COMMANDS, each)) ?? ''
  const shown = Object.entries(COMMANDS).flatMap(([name, { group }]) => (group === null ? [] : name))
  const other = OTHER_NAMES[word.toLowerCase()]
  return suggested(`There is no command '${word}'.`, other ?? nearest(word, shown), 'nokosu --help')
}

function suggested(message: string, name: string | null, help: string): { message: string; hint: string } {
  return {
    message: name === null ? message : `${message} Did you mean ${name}?`,
    hint: `'${help}' lists all commands.`,
  }
}

/** Some commands take words, and a word may begin like a flag. */
function asText(command: Command, help: string): string {
  const takesWords = ['add', 'search'].includes(command.name())
  return takesWords
    ? `'${help}' lists the flags. Put words that begin with '-' after '--'.`
    : `'${help}' lists the flags.`
}

function usageOf(command: Command | null): string {
  return command === null ? '[options] COMMAND' : `${pathOf(command)} ${command.usage()}`
}

export function pathOf(command: Command): string {
  const { parent } = command
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`
}

function sentence(text: string): string {
  const whole = text.endsWith('.') || text.endsWith('?') ? text : `${text}.`
  return whole.charAt(0).toUpperCase() + whole.slice(1)
}
