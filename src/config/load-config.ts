import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { DirectoryEntry } from '../model/records.ts'
import { storeAddress } from '../storage/store-address.ts'
import { type CompleteConfig, configSchema } from './config-schema.ts'
import { configurationError, explainIssues } from './configuration-error.ts'
import { findPlace, toMain } from './find-place.ts'
import { nameProject } from './name-project.ts'
import { STORE_FOLDER } from './prepare-store.ts'
import { readConfigFile } from './read-config-file.ts'
import { type Environment, readEnvironment } from './read-environment.ts'
import { toDirectory } from './to-directory.ts'

export interface ConfigFlags {
  /** Store URL; a relative path is relative to the working folder. */
  db?: string
  /** A configuration file to use instead of the one found upward. */
  config?: string
  log?: string
  project?: string
}

/** All settings, from all sources. */
export interface Config extends Omit<CompleteConfig, '$schema' | 'directory' | 'project'> {
  db: string
  directory: DirectoryEntry[]
  /** The configuration file in use, or null. */
  file: string | null
  /** The project's folder. */
  root: string
  /** The project: from a flag, the environment or the configuration, otherwise the repository around the folder. */
  project?: string
  /** The name to give the repository in its own store. Null if it already has one, or if the store is shared. */
  storeName: string | null
}

/** Reads the settings. Later sources override earlier ones: defaults, configuration file, environment, flags. */
export async function loadConfig({
  cwd,
  env,
  flags = {},
}: {
  cwd: string
  env: Environment
  flags?: ConfigFlags
}): Promise<Config> {
  const place = findPlace(cwd)
  const file = flags.config === undefined ? place.configFile : resolve(cwd, flags.config)
  let config = file === null ? configSchema.parse({}) : validate(file, await readConfigFile(file))
  const directory = toDirectory(config.directory, file ?? '')
  let db =
    config.db === undefined
      ? null
      : locate(config.db, place.repository ? toMain(place.repository, dirname(file!)) : dirname(file!))
  if (config.embedding.kind === 'local' && config.embedding.modelPath !== undefined && file !== null) {
    config.embedding.modelPath = resolve(dirname(file), config.embedding.modelPath)
  }
  for (const { variable, key, value } of readEnvironment(env)) {
    config = override(config, variable, key, value)
    if (key === 'db') db = locate(config.db!, cwd)
  }
  for (const key of ['db', 'log'] as const) {
    if (flags[key] === undefined) continue
    config = override(config, `--${key}`, key, flags[key])
    if (key === 'db') db = locate(config.db!, cwd)
  }
  db ??= `sqlite:${join(place.root, STORE_FOLDER, 'memory.db')}`
  const { $schema: _, project: configured, ...settings } = config
  // The flag is an identifier like any other; its command reports what is wrong with it.
  const given = flags.project ?? configured
  return { ...settings, db, directory, file, root: place.root, ...nameProject(place.repository, db, given) }
}

function validate(source: string, content: unknown): CompleteConfig {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw configurationError(source, '', 'must contain an object of settings')
  }
  const result = configSchema.safeParse(content)
  if (result.success) return result.data
  throw explainIssues(source, result.error.issues)
}

function override(config: CompleteConfig, source: string, key: keyof CompleteConfig, value: unknown): CompleteConfig {
  const result = configSchema.shape[key].safeParse(value)
  if (result.success) return { ...config, [key]: result.data }
  throw explainIssues(
    source,
    result.error.issues.map((issue) => ({ ...issue, path: [key, ...issue.path] })),
  )
}

/** Makes a relative SQLite path absolute, so that it does not depend on the working folder. */
function locate(given: string, folder: string): string {
  const { kind, rest: path, url } = storeAddress(given)
  if (kind !== 'sqlite') return url
  if (path === ':memory:' || path.startsWith('~/') || isAbsolute(path)) return `sqlite:${path}`
  return `sqlite:${resolve(folder, path)}`
}
