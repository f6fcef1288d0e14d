import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { installPlugin, PLUGIN_ID, pluginFolder, uninstallPlugin } from '../claude-code/install-plugin.ts'
import { isRecord, parseJson } from '../text/json.ts'
import { withoutEntries } from './edit.ts'
import type { Entry } from './entry.ts'
import { fingerprint, readText, removeEmpty, type SetupRecord, type Touched, writeText } from './record.ts'

/** What Claude Code writes when it installs the plugin, below its folder. */
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
/** A copy of the plugin, which Claude Code keeps after it is uninstalled. */
const COPY = 'plugins/cache/nokosu'

/** Whether the user has it, whatever scope; also where it is switched off, which is the user's choice. */
export function hasPlugin(folder: string): boolean {
  const read = (file: string, key: string): unknown => {
    const json = parseJson(readText(join(folder, file)) ?? '')
    return json.ok && isRecord(json.value) ? json.value[key] : undefined
  }
  const installed = read('plugins/installed_plugins.json', 'plugins')
  const from = read('plugins/known_marketplaces.json', 'nokosu')
  if (!isRecord(installed) || !(PLUGIN_ID in installed)) return false
  // That of another version of the package, which may be gone, is installed again.
  return isRecord(from) && from.installLocation === pluginFolder()
}

/** Installs the plugin with Claude Code's own commands, and keeps what its files were before. */
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

/** Uninstalls the plugin, and removes what Claude Code leaves behind then. */
export async function removePlugin(folder: string, record: SetupRecord, env: NodeJS.ProcessEnv): Promise<void> {
  const before = new Map(Object.keys(FILES).map((file) => [join(folder, file), readText(join(folder, file))]))
  // Where Claude Code itself is gone, its files are cleaned all the same.
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

/** Whether there is anything of the plugin, be it only what an uninstallation left. */
export function hasTraces(folder: string): boolean {
  return hasPlugin(folder) || existsSync(join(folder, COPY))
}
