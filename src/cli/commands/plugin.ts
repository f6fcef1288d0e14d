import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import {
  installPlugin,
  PLUGIN_SCOPES,
  type PluginScope,
  pluginFolder,
  validatePlugin,
} from '../../claude-code/install-plugin.ts'
import { MemoryError } from '../../model/errors.ts'
import type { GlobalOptions } from '../open-engine.ts'
import { note, paint, printJson, printLine } from '../output.ts'
import { shell } from '../shell.ts'

interface Options extends GlobalOptions {
  dir?: string
  scope: PluginScope
}

const DIR = ['--dir <folder>', 'the plugin’s folder (default: the one in this package)'] as const

/** `nokosu plugin` */
export function configure(command: Command): void {
  command
    .command('install')
    .description('install the plugin into Claude Code, offline')
    .addOption(
      new Option('--scope <scope>', 'for you everywhere, or in this project’s .claude/settings.json')
        .choices(PLUGIN_SCOPES)
        .default('user'),
    )
    .option(...DIR)
    .action(install)
  command
    .command('validate')
    .description('check the plugin’s files with Claude Code')
    .option(...DIR)
    .action(validate)
  command.command('path').description('print the plugin’s folder').action(path)
  command.addHelpText(
    'after',
    `
The plugin shows each session the memories of its project, and stores the [MEMORY:...] lines that Claude writes. In a session:
  /nokosu:remember TEXT   /nokosu:recall TEXT

Examples:
  nokosu plugin install
  claude --plugin-dir "$(nokosu plugin path)"      # for one session, without installing
  claude plugin uninstall nokosu@nokosu`,
  )
}

async function install(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const installed = await installPlugin(folderOf(options), options.scope)
  if (options.json) return printJson(installed)
  await printLine(`${paint('green', 'Installed')} ${installed.plugin} (${installed.scope}) from ${installed.path}`)
  note('It takes effect in the next session of Claude Code.')
}

async function validate(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const validation = await validatePlugin(folderOf(options))
  if (options.json) await printJson(validation)
  else await printLine(validation.report)
  if (validation.valid) return
  throw new MemoryError('INVALID_INPUT', `Claude Code does not accept the plugin in ${validation.path}.`, {
    details: { field: 'dir', path: validation.path },
  })
}

async function path(_: unknown, command: Command): Promise<void> {
  const { json } = command.optsWithGlobals<Options>()
  if (json) return printJson({ path: pluginFolder() })
  await printLine(pluginFolder())
}

function folderOf({ dir }: Options): string {
  return dir === undefined ? pluginFolder() : resolve(shell().cwd, dir)
}
