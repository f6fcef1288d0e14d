import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { installPlugin, PLUGIN_ID, pluginFolder, uninstallPlugin } from '../claude-code/install-plugin.ts'
import { isRecord, parseJson } from '../text/json.ts'
import { withoutEntries } from './edit.ts'
import type { Entry } from './entry.ts'
import { fingerprint, readText, removeEmpty, type SetupRecord, type Touched, writeText } from './record.ts'

/** Files that Claude Code writes below its folder when it installs the plugin. */
const FILES: Record<string, readonly Entry[]> = {
  'settings.json': [
    { at: ['enabledPlugins', PLUGIN_ID], value: null },
    { at: ['extraKnownMarketplaces', 'nokosu'], value: null },
  ],
  'plugins/installed_plugins.json': [
    { at: ['version'], value: null, isFrame: true },
    { at: ['plugins', PLUGIN_ID], value: null },
  ],
  'plugins/known_marketplaces.json': [{ at: ['nokosu'], value: null }],
}
const FOLDERS = ['plugins', 'plugins/marketplaces', 'plugins/data', 'plugins/cache'] as const
/** A copy of the plugin, which Claude Code keeps after uninstalling. */
const COPY = 'plugins/cache/nokosu'

/** Whether it is installed in any scope; also if the user has switched it off. */
export function hasPlugin(folder: string): boolean {
  const read = (file: string, key: string): unknown => {
    const json = parseJson(readText(join(folder, file)) ?? '')
    return json.ok && isRecord(json.value) ? json.value[key] : undefined
  }
  const installed = read('plugins/installed_plugins.json', 'plugins')
  const from = read('plugins/known_marketplaces.json', 'nokosu')
  if (!isRecord(installed) || !(PLUGIN_ID in installed)) return false
  // A plugin of another package version, which may be gone, is reinstalled.
  return isRecord(from) && from.installLocation === pluginFolder()
}

/** Installs the plugin with Claude Code's own commands, after saving the previous content of its files. */
export async function addPlugin(folder: string, record: SetupRecord, env: NodeJS.ProcessEnv): Promise<void> {
  const paths = Object.keys(FILES).map((file) => join(folder, file))
  const before = new Map(paths.map((path) => [path, readText(path)]))
  const made = FOLDERS.map((name) => join(folder, name)).filter((path) => !existsSync(path))
  const keep = () => {
    for (const [file, entries] of Object.entries(FILES)) {
      const path = join(folder, file)
      const known = record.find(path)
      const original = known === null ? before.get(path)! : record.original(known)
      const touched = {
        client: 'claude-code' as const,
        path,
        format: 'jsonc' as const,
        entries: [...entries] as Touched['entries'],
      }
      record.add({ ...touched, hash: fingerprint(readText(path) ?? ''), made: known?.made ?? made }, original)
    }
  }
  keep()
  try {
    await installPlugin(pluginFolder(), 'user', env)
    keep()
  } catch (error) {
    await removePlugin(folder, record, env)
    throw error
  }
}

/** Uninstalls the plugin, and removes what Claude Code leaves behind. */
export async function removePlugin(folder: string, record: SetupRecord, env: NodeJS.ProcessEnv): Promise<void> {
  const before = new Map(Object.keys(FILES).map((file) => [join(folder, file), readText(join(folder, file))]))
  // If Claude Code itself is gone, its files are still cleaned up.
  if (hasPlugin(folder)) await uninstallPlugin(env).catch(() => {})
  for (const [file, entries] of Object.entries(FILES)) {
    const path = join(folder, file)
    const now = readText(path)
    const touched = record.find(path)
    const original = touched === null ? null : record.original(touched)
    const isUntouched = touched !== null && fingerprint(before.get(path) ?? '') === touched.hash
    const rest = isUntouched ? original : now === null ? null : withoutEntries(now, 'jsonc', entries, original)
    if (rest !== null) writeText(path, rest)
    else if (touched !== null) rmSync(path, { force: true })
    if (touched !== null) record.remove(touched)
  }
  rmSync(join(folder, COPY), { recursive: true, force: true })
  removeEmpty(FOLDERS.map((name) => join(folder, name)))
}

/** Whether anything of the plugin exists, even leftovers of an uninstallation. */
export function hasTraces(folder: string): boolean {
  return hasPlugin(folder) || existsSync(join(folder, COPY))
}
