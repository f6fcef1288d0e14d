import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { invalidInput, MemoryError } from '../model/errors.ts'
import { findPackageRoot } from '../package/package-root.ts'

export const PLUGIN_SCOPES = ['user', 'project'] as const
export type PluginScope = (typeof PLUGIN_SCOPES)[number]

export const PLUGIN_ID = 'nokosu@nokosu'

export interface InstalledPlugin {
  plugin: string
  scope: PluginScope
  /** The folder that Claude Code reads, so upgrading the package upgrades the plugin. */
  path: string
  message: string
}

export function pluginFolder(): string {
  return join(findPackageRoot()!, 'plugin')
}

/** Claude Code's commands for installing the plugin offline. Repeating them changes nothing. */
export function installCommands(path: string, scope: PluginScope): string[][] {
  return [
    ['plugin', 'marketplace', 'add', path, '--scope', scope],
    ['plugin', 'install', PLUGIN_ID, '--scope', scope],
  ]
}

export async function installPlugin(path: string, scope: PluginScope, env = process.env): Promise<InstalledPlugin> {
  requirePlugin(path)
  let message = ''
  for (const args of installCommands(path, scope)) message = await succeed(path, args, env)
  return { plugin: PLUGIN_ID, scope, path, message }
}

/** Claude Code removes its own part but leaves a copy of the plugin's files. */
export async function uninstallPlugin(env: NodeJS.ProcessEnv): Promise<void> {
  const path = pluginFolder()
  await succeed(path, ['plugin', 'uninstall', PLUGIN_ID, '--scope', 'user'], env)
  await succeed(path, ['plugin', 'marketplace', 'remove', 'nokosu'], env)
}

export interface Validation {
  valid: boolean
  path: string
  report: string
}

export async function validatePlugin(path: string): Promise<Validation> {
  requirePlugin(path)
  const manifest = join(path, '.claude-plugin', 'plugin.json')
  const [folder, plugin] = await Promise.all(
    [path, manifest].map((what) => runClaude(path, ['plugin', 'validate', what])),
  )
  return { valid: folder!.code === 0 && plugin!.code === 0, path, report: `${folder!.output}\n\n${plugin!.output}` }
}

function requirePlugin(path: string): void {
  if (existsSync(join(path, '.claude-plugin', 'plugin.json'))) return
  throw invalidInput('dir', `There is no plugin in ${path}.`, { path })
}

async function succeed(path: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { code, output } = await runClaude(path, args, env)
  if (code === 0) return output
  throw new MemoryError(
    'PROVIDER_ERROR',
    `'claude ${args.join(' ')}' ended with ${code}: ${output}\n${withoutInstall(path)}`,
    { retryable: false, details: { args } },
  )
}

/** Claude Code itself does not prompt here, but a wrapper might. */
const TIMEOUT_MS = 60_000

async function runClaude(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ code: number | null; output: string }> {
  const child = spawn('claude', args, { env, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' })
  const parts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(part))
  const late = setTimeout(() => child.kill(), TIMEOUT_MS)
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      clearTimeout(late)
      const why = `Claude Code was not found: there is no 'claude' on the PATH. ${withoutInstall(path)}`
      reject(new MemoryError('MISSING_DEPENDENCY', why, { details: { program: 'claude', path }, cause }))
    })
    child.once('close', (code) => {
      clearTimeout(late)
      resolve({ code, output: Buffer.concat(parts).toString('utf8').trim() })
    })
  })
}

function withoutInstall(path: string): string {
  return `Without installing it, the plugin works for one session: claude --plugin-dir ${path}`
}
