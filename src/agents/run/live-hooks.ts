import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Identifiers, LAYERS, REQUIRED_IDENTIFIER } from '../../model/layer.ts'
import { findPackageRoot } from '../../package/package-root.ts'

/** The program that answers a run's hooks, as an MCP server. */
export interface HookServer {
  program: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
}

/** Tells the installed plugin that the run answers hooks itself. */
export const HOOKS_OF_RUN = { NOKOSU_HOOKS: 'run' }

/** A name that no other server uses. */
const NAME = 'nokosu-run'

interface PluginHooks {
  hooks: Record<string, { matcher?: string; hooks: { type: string; server?: string }[] }[]>
}

/**
 * Writes a plugin for one run and returns the options that load it into Claude Code: the hooks for recall,
 * and the server that answers them. The user's own settings, plugins and servers stay in place. The server's tool is only
 * for the hooks; the agent does not see it.
 */
export async function writeHooks(folder: string, server: HookServer, identifiers: Identifiers): Promise<string[]> {
  const plugin = join(folder, 'plugin')
  const config = join(folder, 'mcp.json')
  for (const path of ['.claude-plugin', 'hooks']) await mkdir(join(plugin, path), { recursive: true, mode: 0o700 })
  const entry = { command: server.program, args: [...server.args, ...flagsOf(identifiers)], env: server.env }
  const write = (path: string, content: object) => writeFile(path, JSON.stringify(content), { mode: 0o600 })
  await write(join(plugin, '.claude-plugin', 'plugin.json'), { name: NAME, version: '1.0.0' })
  await write(join(plugin, 'hooks', 'hooks.json'), await readLiveHooks())
  await write(config, { mcpServers: { [NAME]: entry } })
  // With `=`, so that no option takes the next word as its value.
  return [`--plugin-dir=${plugin}`, `--mcp-config=${config}`, `--disallowedTools=mcp__${NAME}`]
}

/** The plugin's hooks that a server answers. The run handles the others. */
async function readLiveHooks(): Promise<PluginHooks> {
  const file = join(findPackageRoot()!, 'plugin', 'hooks', 'hooks.json')
  const { hooks } = JSON.parse(await readFile(file, 'utf8')) as PluginHooks
  const live = Object.entries(hooks).flatMap(([event, groups]) => {
    const own = groups.filter((group) => group.hooks.every(({ type }) => type === 'mcp_tool'))
    const renamed = own.map((group) => ({ ...group, hooks: group.hooks.map((hook) => ({ ...hook, server: NAME })) }))
    return renamed.length === 0 ? [] : [[event, renamed] as const]
  })
  return { hooks: Object.fromEntries(live) }
}

function flagsOf(identifiers: Identifiers): string[] {
  return LAYERS.flatMap((layer) => {
    const id = identifiers[REQUIRED_IDENTIFIER[layer]]
    return id === undefined ? [] : [`--${layer}=${id}`]
  })
}
