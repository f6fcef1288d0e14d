import { existsSync } from 'node:fs'
import type { Config } from '../config/load-config.ts'
import { prepareStore, storeFile } from '../config/prepare-store.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { tokenFrom } from '../engine/run-token.ts'
import { MemoryError } from '../model/errors.ts'
import { createLogger } from '../observe/log.ts'
import { within } from '../remote/bound.ts'
import { mayHaveSpool, type SpoolPlace, spoolFolders } from '../remote/spool-folders.ts'
import { hasWaiting } from '../remote/spool-waiting.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import { adoptStore } from './adopt-store.ts'
import { commandLine } from './command-line.ts'
import { nameProjects } from './missing-scope.ts'
import { note, writeLog } from './output.ts'
import { shell } from './shell.ts'

export interface GlobalOptions {
  json?: boolean
  db?: string
  config?: string
  log?: string
  /** For the commands that have it. */
  project?: string
}

export async function readConfig({ db, config, log, project }: GlobalOptions): Promise<Config> {
  const { loadConfig } = await import('../config/load-config.ts')
  const { cwd, env } = shell()
  return loadConfig({ cwd, env, flags: withoutUndefined({ db, config, log, project }) })
}

/** For commands that report the engine's warnings themselves. Off a terminal, or with a log level, they are logged. */
export function quietly<Options extends GlobalOptions>(options: Options): Options {
  const isAsked = !shell().stderr.isTTY || options.log !== undefined || shell().env.NOKOSU_LOG !== undefined
  return isAsked ? options : { ...options, log: 'error' }
}

/** `change`: the command changes existing data, so without a store it has nothing to do. */
export type Intent = 'read' | 'change' | 'write'

/**
 * Opens the configured store, and closes it after the work, even if the work fails. `check` validates the request before a
 * store is created for it.
 */
export async function withEngine<T>(
  options: GlobalOptions,
  intent: Intent,
  work: (engine: Nokosu, config: Config) => Promise<T>,
  check: (config: Config) => unknown = () => {},
): Promise<T> {
  let config = await readConfig(options)
  const problem = problemOf(() => check(config))
  // Every command first stores what is spooled.
  const waits = !problem && mayHaveSpool(spoolPlaceOf(config)) && (await hasWaiting(spoolFoldersOf(config)))
  const writes = !problem && (intent === 'write' || waits || (intent === 'change' && isThere(config)))
  // If another process is creating the store right now, it may use another name for the project.
  if (writes && !claimName(config)) config = await readConfig(options)
  const engine = await openEngine(config, writes ? 'write' : 'read', options.project)
  let delivery: Delivery | null = null
  try {
    if (problem) throw problem.error
    if (waits) delivery = await deliverWaiting(engine, config, intent === 'read' ? READ_WAIT_MS : undefined)
    const result = await work(engine, config)
    if (shell().storeMissing && !options.json) note(noStore(config, options))
    return result
  } catch (error) {
    throw explainMissing(await nameProjects(error, engine), config, options)
  } finally {
    await engine.shutdown()
    // Without a store it stops, and the next command finds what waits.
    if (delivery !== null) await within(delivery.ended, READ_WAIT_MS)
  }
}

/**
 * The settings of a run, once the project's name is settled: the spool is created before the store, and the next process
 * must find what is spooled. An unwritable folder does not stop a run.
 */
export async function settleProject<T>(options: GlobalOptions, settingsOf: (config: Config) => Promise<T>): Promise<T> {
  const config = await readConfig(options)
  const settings = await settingsOf(config)
  if (!config.memory.enabled) return settings
  try {
    // The store's own process knows neither the flag nor the terminal.
    await adopt(config, options.project)
    if (claimName(config)) return settings
  } catch {
    return settings
  }
  return settingsOf(await readConfig(options))
}

function problemOf(work: () => unknown): { error: unknown } | null {
  try {
    work()
    return null
  } catch (error) {
    return { error }
  }
}

/** Without a store, a missing memory has another cause. */
function explainMissing(error: unknown, config: Config, options: GlobalOptions): unknown {
  if (!shell().storeMissing || !MemoryError.is(error) || error.code !== 'MEMORY_NOT_FOUND') return error
  const { code, message, details } = error
  return new MemoryError(code, message, { details: { ...details, hint: noStore(config, options) } })
}

function noStore({ db, project }: Config, options: GlobalOptions): string {
  const named = options.project ?? (project === undefined ? 'shop' : undefined)
  const add = commandLine('add', ...(named === undefined ? [] : ['--project', named]), 'The tests need Redis')
  return `There is no store yet: ${db.replace(/^sqlite:/, '')} is created with the first memory. Add one:\n  ${add}`
}

/**
 * Records the project's name in a store about to be created. False if another process has just chosen a name: read
 * the configuration again.
 */
function claimName({ db, storeName }: Config): boolean {
  return prepareStore(db, storeName)
}

function isThere(config: Config): boolean {
  const file = storeFile(config.db)
  return file === null || existsSync(file)
}

/** Without a store, reading finds nothing and does not create one. */
export async function openEngine(config: Config, intent: 'read' | 'write', project?: string): Promise<Nokosu> {
  let storage = config.db
  const file = storeFile(config.db)
  if (intent === 'write') prepareStore(config.db, config.storeName)
  else if (file !== null && !existsSync(file)) {
    storage = 'sqlite::memory:'
    shell().storeMissing = true
  }
  await adopt(config, project)
  return open(config, { storage, insideRun: Boolean(shell().env.NOKOSU_SESSION) })
}

function adopt(config: Config, project: string | undefined): Promise<void> {
  return adoptStore(config, project, () => open(config))
}

async function open(config: Config, own: { storage?: string; insideRun?: boolean } = {}): Promise<Nokosu> {
  const { openMemory } = await import('../engine/open-memory.ts')
  const { db: storage, embedding, directory, retry, memory, budget } = config
  return openMemory({
    ...{ storage, embedding, directory, retry, memory, budget },
    ...withoutUndefined({ token: tokenFrom(shell().env) }),
    log: createLogger(config.log, writeLog),
    actor: 'cli',
    ...own,
  })
}

function spoolPlaceOf({ db }: Pick<Config, 'db'>): SpoolPlace {
  return { file: storeFile(db), url: db, env: shell().env }
}

export function spoolFoldersOf(config: Pick<Config, 'db'>): string[] {
  return spoolFolders(spoolPlaceOf(config))
}

/** How long a read waits for a store that does not accept writes. */
const READ_WAIT_MS = 2000

interface Delivery {
  ended: Promise<unknown>
}

/**
 * Delivers what earlier runs left in the spool. A failure is a warning: it does not stop the command. What is late goes back
 * into the spool when the engine is shut down.
 */
export async function deliverWaiting(engine: Nokosu, config: Config, ms?: number): Promise<Delivery> {
  const { deliverWholeSpool } = await import('../remote/spool-deliver.ts')
  // Loading models is not the store's slowness.
  if (ms !== undefined) await engine.warm().catch(() => {})
  const ended = deliverWholeSpool(engine, spoolFoldersOf(config))
  const done = ms === undefined ? { value: await ended } : await within(ended, ms)
  const failures = done?.value.failures ?? ['the store is busy. The next command tries again.']
  for (const failure of failures) note(`Warning: cannot store the spooled writes of an earlier run: ${failure}`)
  return { ended }
}
