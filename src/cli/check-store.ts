import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config } from '../config/load-config.ts'
import { storeFile } from '../config/prepare-store.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { countOf } from './output.ts'

/** Bytes. With less free space, a growing store will soon fail. */
const LITTLE_SPACE = 200 * 1024 * 1024

export async function checkStore(engine: Nokosu): Promise<Check[]> {
  const health = await engine.healthCheck()
  if (health.status === 'unhealthy') return [fail('store', health.problems.join(' '), 'Restore a backup.')]
  const stats = await engine.stats().catch((error: unknown) => {
    if (MemoryError.is(error) && error.code === 'UNAUTHORIZED') return null
    throw error
  })
  if (stats === null) {
    return [ok('store', `answered in ${health.latencyMs} ms; only an admin’s token can see its size`)]
  }
  const { memories, active, sessions, models } = stats
  const checks = [
    ok(
      'store',
      `${countOf(memories, 'memory', 'memories')} (${active} active), ${countOf(sessions, 'session', 'sessions')}; answered in ${health.latencyMs} ms`,
    ),
  ]
  checks.push(await checkVectors(engine, memories, models))
  for (const problem of health.problems)
    if (problem.startsWith('The index of vectors')) checks.push(warn('index', problem, "Run 'nokosu sweep'."))
  return [...checks, ...(await checkHeld(engine))]
}

async function checkHeld(engine: Nokosu): Promise<Check[]> {
  try {
    const held = await engine.list({ everything: true, trust: ['quarantined'], includeInactive: true, limit: 1 })
    if (held.totalCount === 0) return []
    const waiting = countOf(held.totalCount, 'memory is held', 'memories are held')
    return [warn('review', `${waiting} for review and shown to no agent`, "Run 'nokosu review --all'.")]
  } catch (error) {
    if (!MemoryError.is(error) || error.code !== 'UNAUTHORIZED') throw error
    return [ok('review', 'only an admin’s token can see what is held for review')]
  }
}

/** Larger stores are not counted: some read every memory to find those without a vector. */
const MOST_COUNTED = 100_000

/** From the models whose vectors the store has. If there is only this model, also checks that every memory has a vector. */
async function checkVectors(engine: Nokosu, memories: number, models: readonly string[]): Promise<Check> {
  const model = engine.embedding.name
  const others = models.filter((name) => name !== model)
  if (others.length > 0)
    return warn('vectors', `some come from ${others.join(', ')}, not from ${model}`, "Run 'nokosu reembed'.")
  if (memories > 0 && models.length === 0) return warn('vectors', 'no memory has one', "Run 'nokosu reembed'.")
  const waiting = memories > MOST_COUNTED ? 0 : await countWaiting(engine)
  if (waiting === 0) return ok('vectors', `from ${model}`)
  return warn(
    'vectors',
    `${countOf(waiting, 'memory has', 'memories have')} no vector from ${model}`,
    "Run 'nokosu reembed'.",
  )
}

async function countWaiting(engine: Nokosu): Promise<number> {
  try {
    return (await engine.reembed({ dryRun: true })).embedded
  } catch (error) {
    // Without admin scope, report only what the store itself says.
    if (!MemoryError.is(error) || error.code !== 'UNAUTHORIZED') throw error
    return 0
  }
}

export async function checkStoreFile({ db }: Config): Promise<Check[]> {
  const file = storeFile(db)
  if (file === null) return []
  if (!existsSync(file)) return [ok('file', `${file} does not exist yet; 'nokosu add' creates it`)]
  const { DatabaseSync } = await import('node:sqlite')
  try {
    const writable = isWritable(file)
    // Even for reading, SQLite writes next to the file, unless the file is marked immutable.
    const database = new DatabaseSync(writable ? file : `${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
    try {
      const started = performance.now()
      const found = database
        .prepare('PRAGMA quick_check(5)')
        .all()
        .map((row) => String(Object.values(row)[0]))
      const version = Object.values(database.prepare('PRAGMA user_version').get() ?? {})[0]
      const took = `${Math.round(performance.now() - started)} ms`
      if (found.length !== 1 || found[0] !== 'ok') throw new Error(found.join('; '))
      const size = (statSync(file).size / 1024 / 1024).toFixed(1)
      const message = `${file}, ${size} MB, schema ${version}, quick_check ok in ${took}`
      if (writable) return [ok('file', message)]
      const fix = 'Make the file and its folder writable, or nothing new can be stored.'
      return [warn('file', `${message}; it can be read, but not changed`, fix)]
    } finally {
      database.close()
    }
  } catch (error) {
    const fix = "Keep a copy of the file, then restore a backup, or an export with 'nokosu import'."
    return [fail('file', `${file}: ${(error as Error).message}`, fix)]
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    accessSync(dirname(file), constants.W_OK)
    return true
  } catch {
    return false
  }
}

export async function checkDisk({ db }: Config): Promise<Check[]> {
  const file = storeFile(db)
  if (file === null) return []
  let folder = dirname(file)
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const message = `${(free / 1024 ** 3).toFixed(1)} GB free at ${folder}`
  return [
    free < LITTLE_SPACE
      ? warn('disk', message, 'Free some space: writes fail when the disk is full.')
      : ok('disk', message),
  ]
}
