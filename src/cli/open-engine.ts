import { existsSync } from 'node:fs'
import type { Config } from '../config/load-config.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { note, writeJsonError } from './output.ts'
import { shell } from './shell.ts'

/** The flags that every command takes. */
export interface GlobalOptions {
  json?: boolean
  db?: string
  config?: string
  log?: string
  /** Of the commands that have it. */
  project?: string
}

export async function readConfig({ db, config, log, project }: GlobalOptions): Promise<Config> {
  const { loadConfig } = await import('../config/load-config.ts')
  const flags = {
    ...(db === undefined ? {} : { db }),
    ...(config === undefined ? {} : { config }),
    ...(log === undefined ? {} : { log }),
    ...(project === undefined ? {} : { project }),
  }
  return loadConfig({ cwd: shell().cwd, env: shell().env, flags })
}

/** Opens the configured store, and closes it after the work, also when the work fails. */
export async function withEngine<T>(
  options: GlobalOptions,
  intent: 'read' | 'write',
  work: (engine: Nokosu, config: Config) => Promise<T>,
): Promise<T> {
  let config = await readConfig(options)
  // A store that others are creating right now may know the project by another of its names.
  if (intent === 'write' && !(await prepare(config))) config = await readConfig(options)
  const engine = await openEngine(config, intent, options.json === true)
  try {
    if (intent === 'write') await deliverWaiting(engine, config)
    return await work(engine, config)
  } finally {
    await engine.shutdown()
  }
}

async function prepare({ db, storeName }: Config): Promise<boolean> {
  const { prepareStore } = await import('../config/prepare-store.ts')
  return prepareStore(db, storeName)
}

/** When there is no store yet, reading finds nothing and does not create one. */
export async function openEngine(config: Config, intent: 'read' | 'write', quiet = true): Promise<Nokosu> {
  const [{ openMemory }, { createLogger }, { prepareStore, storeFile }] = await Promise.all([
    import('../engine/open-memory.ts'),
    import('../observe/log.ts'),
    import('../config/prepare-store.ts'),
  ])
  let storage = config.db
  const file = storeFile(config.db)
  if (intent === 'write') prepareStore(config.db, config.storeName)
  else if (file !== null && !existsSync(file)) {
    storage = 'sqlite::memory:'
    if (!quiet) note(`There is no store at ${file} yet; 'nokosu add' creates it.`)
  }
  return openMemory({
    storage,
    embedding: config.embedding,
    directory: config.directory,
    retry: config.retry,
    memory: config.memory,
    budget: config.budget,
    log: createLogger(config.log, writeJsonError),
    actor: 'cli',
  })
}

/** The folders where runs leave what the store could not take. */
export async function spoolFoldersOf({ db, root }: Config): Promise<string[]> {
  const [{ spoolFolders }, { storeFile }] = await Promise.all([
    import('../remote/spool-folders.ts'),
    import('../config/prepare-store.ts'),
  ])
  return spoolFolders({ file: storeFile(db), url: db, root, env: shell().env })
}

/** Delivers what earlier runs left in the spool. A failure is a warning: it does not stop the command. */
export async function deliverWaiting(engine: Nokosu, config: Config): Promise<void> {
  const folders = await spoolFoldersOf(config)
  if (!folders.some((folder) => existsSync(folder))) return
  const { deliverSpool } = await import('../remote/spool-deliver.ts')
  const { failures } = await deliverSpool(engine, folders)
  for (const failure of failures) note(`Warning: what an earlier run left in the spool could not be stored: ${failure}`)
}
