import { resolve } from 'node:path'
import { installPlugin, PLUGIN_SCOPES, pluginFolder, validatePlugin } from '../../claude-code/install-plugin.ts'
import { invalidInput } from '../../model/errors.ts'
import { defineCommand } from '../command.ts'
import { note, paint, printJson, printLine } from '../output.ts'
import { oneOf } from '../parse-flags.ts'
import { shell } from '../shell.ts'

const DIR_OPTION = { '--dir <folder>': 'the plugin’s folder (default: the one in this package)' } as const

function folderOf({ dir }: { dir?: string }): string {
  return dir === undefined ? pluginFolder() : resolve(shell().cwd, dir)
}

const install = defineCommand({
  options: {
    '--scope <scope>': ['for you everywhere, or in this project’s .claude/settings.json', oneOf(PLUGIN_SCOPES), 'user'],
    ...DIR_OPTION,
  },
  async run(options) {
    const installed = await installPlugin(folderOf(options), options.scope)
    if (options.json) return printJson(installed)
    await printLine(`${paint('green', 'Installed')} ${installed.plugin} (${installed.scope}) from ${installed.path}`)
    note('It takes effect in the next session of Claude Code.')
  },
})

const validate = defineCommand({
  options: DIR_OPTION,
  async run(options) {
    const { valid, path, report } = await validatePlugin(folderOf(options))
    await (options.json ? printJson({ valid, path, report }) : printLine(report))
    if (valid) return
    throw invalidInput('dir', `Claude Code does not accept the plugin in ${path}.`, { path })
  },
})

const path = defineCommand({
  run: ({ json }) => (json ? printJson({ path: pluginFolder() }) : printLine(pluginFolder())),
})

export const { configure } = defineCommand({
  commands: {
    install: ['install the plugin into Claude Code, offline', install],
    validate: ['check the plugin’s files with Claude Code', validate],
    path: ['print the plugin’s folder', path],
  },
  help: `
The plugin shows each session the memories of its project, and stores the [MEMORY:...] lines that Claude writes. In a session:
  /nokosu:remember TEXT   /nokosu:recall TEXT

Examples:
  nokosu plugin install
  claude --plugin-dir "$(nokosu plugin path)"      # for one session, without installing
  claude plugin uninstall nokosu@nokosu`,
})
