import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configurationError } from './configuration-error.ts'

/** The folder of a project's data, in its root. */
export const STORE_FOLDER = '.nokosu'

const CONFIG_FILES = ['nokosu.config.ts', 'nokosu.config.json', 'nokosu.config.yaml', 'nokosu.config.yml']

export interface Project {
  /** The folder that holds, or would hold, `.nokosu`. */
  root: string
  /** The nearest configuration file upward, or null. */
  configFile: string | null
}

/**
 * Searches upward from a folder, as git does. The root is the nearest folder with a `.nokosu`, or else the nearest with a
 * repository or a configuration, or else the folder itself.
 */
export function findProject(cwd: string): Project {
  let configFile: string | null = null
  let withStore: string | null = null
  let withProject: string | null = null
  for (const folder of upward(cwd)) {
    const config: string | null = configFile === null || withProject === null ? configIn(folder) : null
    configFile ??= config
    if (withStore === null && existsSync(join(folder, STORE_FOLDER))) withStore = folder
    if (withProject === null && (config !== null || existsSync(join(folder, '.git')))) withProject = folder
  }
  return { root: withStore ?? withProject ?? cwd, configFile }
}

function* upward(folder: string): Generator<string> {
  for (let current = folder; ; current = dirname(current)) {
    yield current
    if (dirname(current) === current) return
  }
}

function configIn(folder: string): string | null {
  const found = CONFIG_FILES.map((name) => join(folder, name)).filter((path) => existsSync(path))
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest) && hasSettings(manifest)) found.push(manifest)
  if (found.length > 1) {
    throw configurationError(folder, '', `has more than one configuration (${found.join(', ')}): keep one of them`)
  }
  return found[0] ?? null
}

/** Parses a manifest only if its text has the key: most have no settings of ours. */
function hasSettings(manifest: string): boolean {
  const text = readFileSync(manifest, 'utf8')
  if (!/"nokosu"\s*:\s*\{/.test(text)) return false
  try {
    const { nokosu }: { nokosu?: unknown } = JSON.parse(text)
    return nokosu !== undefined
  } catch (cause) {
    throw configurationError(manifest, '', `is not valid JSON: ${(cause as Error).message}`, cause)
  }
}
