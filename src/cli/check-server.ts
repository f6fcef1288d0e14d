import type { Config } from '../config/load-config.ts'
import { tokenFrom } from '../engine/run-token.ts'
import { type AboutServer, ServerClient } from '../engine/url/client.ts'
import { MemoryError } from '../model/errors.ts'
import { packageVersion } from '../package/package-version.ts'
import { isServer } from '../storage/store-address.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { shell } from './shell.ts'

export async function checkServer({ db, project }: Config): Promise<Check[]> {
  if (!isServer(db)) return []
  const token = tokenFrom(shell().env)
  const started = performance.now()
  try {
    const { version, caller, model } = await new ServerClient(db, token).about()
    const took = `${Math.round(performance.now() - started)} ms`
    return [
      checkVersion(`${db}, Nokosu ${version}, answered in ${took}`, version),
      checkToken(caller, token !== undefined, project),
      ok('embed', `vectors are made on the server (${model.name}); this machine loads no model`),
    ]
  } catch (error) {
    if (!MemoryError.is(error)) throw error
    const { hint } = error.details
    const fix = typeof hint === 'string' ? hint : "Start it there with 'nokosu serve', or correct --db or NOKOSU_DB."
    return [fail(error.code === 'UNAUTHORIZED' ? 'token' : 'server', error.message, fix)]
  }
}

function checkVersion(message: string, version: string): Check {
  const own = packageVersion()
  return version === own
    ? ok('server', message)
    : warn('server', `${message}; here is ${own}`, 'Install the same version on both machines.')
}

function checkToken(
  { name, scope, identifiers }: AboutServer['caller'],
  sent: boolean,
  project: string | undefined,
): Check {
  const bound = Object.entries(identifiers).map(([key, value]) => `${key} ${value}`)
  const who = sent ? name : 'no token sent, so it reads and adds as an agent'
  const opens =
    bound.length > 0 ? `bound to ${bound.join(', ')}` : scope === 'admin' ? 'opens the whole store' : 'bound to nothing'
  const { projectId } = identifiers
  if (projectId !== undefined && project !== undefined && projectId !== project) {
    const fix = `If it is the same one, say so: NOKOSU_PROJECT=${projectId}. Otherwise create a token for this project.`
    return fail('token', `${who}; ${opens}, and this folder is project ${project}`, fix)
  }
  if (scope !== 'read') return ok('token', `${who}; scope ${scope}: ${opens}`)
  return warn(
    'token',
    `${who}; scope read: ${opens}, and nothing new can be stored`,
    'Create one with --scope write on the server.',
  )
}
