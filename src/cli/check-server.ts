import type { Config } from '../config/load-config.ts'
import { MemoryError } from '../model/errors.ts'
import { packageVersion } from '../package/package-version.ts'
import { askAbout, connectTo } from '../storage/http/client.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { shell } from './shell.ts'

/** Of a store by URL: whether its server answers, its version, what the token opens, and where vectors are made. */
export async function checkServer({ db, embedding: { kind } }: Config): Promise<Check[]> {
  if (!/^https?:/.test(db)) return []
  const token = shell().env.NOKOSU_TOKEN?.trim()
  const started = performance.now()
  try {
    const { version, caller } = await askAbout(db, connectTo({ url: db, ...(token ? { token } : {}) }))
    const took = `${Math.round(performance.now() - started)} ms`
    return [
      checkVersion(`${db}, Nokosu ${version ?? 'of an unknown version'}, answered in ${took}`, version),
      ...(caller === null ? [] : [checkToken(caller, token !== undefined && token !== '')]),
      ok('embed', `vectors are made on this machine (${kind}); the server stores and compares them`),
    ]
  } catch (error) {
    if (!MemoryError.is(error)) throw error
    const { hint } = error.details
    const fix = typeof hint === 'string' ? hint : "Start it there with 'nokosu serve', or correct --db or NOKOSU_DB."
    return [fail(error.code === 'UNAUTHORIZED' ? 'token' : 'server', error.message, fix)]
  }
}

function checkVersion(message: string, version: string | null): Check {
  const own = packageVersion()
  return version === own
    ? ok('server', message)
    : warn('server', `${message}; here is ${own}`, 'Install the same version on both machines.')
}

function checkToken({ name, scope }: { name: string; scope: string }, sent: boolean): Check {
  const who = sent ? name : 'none sent, and none needed'
  const opens = scope === 'admin' ? 'opens the whole store' : 'what reaches the whole store needs scope admin'
  return ok('token', `${who}; scope ${scope}: ${opens}`)
}
