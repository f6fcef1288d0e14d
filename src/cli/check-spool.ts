import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Config } from '../config/load-config.ts'
import { listSpool, type SpoolEntry } from '../remote/list-spool.ts'
import { stateFolder } from '../remote/spool-folders.ts'
import { type Check, ok, warn } from './check.ts'
import { spoolFoldersOf } from './open-engine.ts'
import { countOf } from './output.ts'
import { shell } from './shell.ts'

export async function checkSpool(config: Config): Promise<Check[]> {
  const folders = spoolFoldersOf(config)
  const entries = await listSpool(folders)
  const waiting = entries.filter(({ state }) => state !== 'set aside')
  const aside = entries.filter(({ state }) => state === 'set aside')
  const checks: Check[] = []
  if (waiting.length > 0) {
    const fix = 'The next command or run stores them.'
    checks.push(warn('spool', `${await tell(waiting, folders)} spooled for the store`, fix))
  }
  if (aside.length > 0) {
    const fix = `Look at ${aside.map(({ file }) => file).join(', ')} in ${folders.join(' or ')}; delete what is not needed.`
    checks.push(warn('spool', `${await tell(aside, folders)} set aside: no store accepts them`, fix))
  }
  const lost = whyLostWithContainer(folders)
  if (lost !== null) checks.push(warn('spool', lost, 'Set NOKOSU_STATE to a folder of a volume.'))
  return checks.length > 0 ? checks : [ok('spool', 'no pending writes')]
}

/** Why spooled records would disappear with this container; null if it is not a container, or stores them elsewhere. */
export function whyLostWithContainer(folders: readonly string[]): string | null {
  const { env } = shell()
  if (!isContainer(env)) return null
  const last = folders.at(-1)!
  const isHome = !env.NOKOSU_STATE && !env.XDG_STATE_HOME && last.startsWith(stateFolder(env) + sep)
  // Next to the store is as safe as the store.
  if (!isHome || folders.length > 1) return null
  return `pending writes are kept in ${last}, inside this container, and are lost with it`
}

function isContainer({ container, KUBERNETES_SERVICE_HOST: pod }: NodeJS.ProcessEnv): boolean {
  return Boolean(container || pod) || ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file))
}

async function tell(entries: readonly SpoolEntry[], folders: readonly string[]) {
  const counts = await Promise.all(entries.map((entry) => countLines(entry, folders)))
  const writes = counts.reduce((sum, count) => sum + count, 0)
  const oldest = entries[0]!.since
  const hours = Math.floor((Date.now() - Date.parse(oldest)) / 3_600_000)
  const age =
    hours < 1 ? 'less than an hour' : hours < 48 ? countOf(hours, 'hour', 'hours') : `${Math.floor(hours / 24)} days`
  return `${countOf(writes, 'write', 'writes')} (oldest: ${age}, since ${oldest.slice(0, 16)}Z)`
}

/** Each write is one line. */
async function countLines({ file }: SpoolEntry, folders: readonly string[]): Promise<number> {
  for (const folder of folders) {
    // It is in one of them, or was just delivered.
    const text = await readFile(join(folder, file), 'utf8').catch(() => null)
    if (text !== null) return text.split('\n').filter((line) => line !== '').length
  }
  return 0
}
