/**
 * Makes the first token of a server and puts it into AWS Secrets Manager (`TOKEN_SECRET`), where an operator reads it: a server that
 * other machines reach does not start without one, and what a task prints is kept in logs. It does nothing when the
 * secret has a value. The token is made by `nokosu token`, in the store of `NOKOSU_DB`.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DescribeSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'

const NAME = 'first'
/** Another task that has made the token needs a moment to put it away. */
const PATIENCE_MS = Number(process.env.TOKEN_PATIENCE_MS ?? 20_000)
const SecretId = process.env.TOKEN_SECRET
if (!SecretId) throw new Error('TOKEN_SECRET names no secret.')
const program = process.env.NOKOSU ?? join(import.meta.dirname, 'node_modules/nokosu/bin/nokosu.mjs')
const client = new SecretsManagerClient()

async function nokosu(...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'token', ...args, '--json'])
  return JSON.parse(stdout)
}

async function hasValue(): Promise<boolean> {
  const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId }))
  return Object.values(VersionIdsToStages).some((stages) => stages.includes('AWSCURRENT'))
}

async function isMade(): Promise<boolean> {
  const tokens = (await nokosu('list')) as { name: string; revokedAt: string | null }[]
  return tokens.some(({ name, revokedAt }) => name === NAME && revokedAt === null)
}

async function makeToken(): Promise<string> {
  if (await isMade()) {
    await sleep(PATIENCE_MS)
    if (await hasValue()) return 'Another task has put the first token away.'
    // Whoever made it ended before it put it away, so nobody has it.
    await nokosu('revoke', NAME)
  }
  const { secret } = (await nokosu('create', '--name', NAME, '--scope', 'admin')) as { secret: string }
  await client.send(new PutSecretValueCommand({ SecretId, SecretString: secret }))
  return `The first token is in ${SecretId}.`
}

console.log((await hasValue()) ? 'There is a first token already.' : await makeToken())
