import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, vi } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { type SecretsManager, startSecretsManager } from './secrets-manager.ts'

// Seven processes on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 120_000 })

const root = join(import.meta.dirname, '../..')

function place(): string {
  const folder = scratchFolder()
  return `sqlite:${join(folder, 'memory.db')}`
}

/** Runs the step like a task; returns its output. */
async function step(db: string, { endpoint }: SecretsManager): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH, HOME: '/nonexistent', NOKOSU_DB: db, NOKOSU: join(root, 'bin/nokosu.mjs') },
    ...{ TOKEN_SECRET: 'arn:secret', TOKEN_PATIENCE_MS: '10' },
    ...{ AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint, AWS_REGION: 'local' },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  }
  const script = join(root, 'infra/image/first-token.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], { env })
  return stdout + stderr
}

/** All tokens of the store, and the one for this secret. */
async function tokensIn(db: string, secret: string) {
  const memory = await openMemory({ storage: await openStorage(db), embedding: hashingEmbedding(), relations: null })
  try {
    return { all: await memory.tokens.list(), opened: await memory.tokens.verify(secret) }
  } finally {
    await memory.shutdown()
  }
}

it('makes an admin’s token, puts it away and prints it nowhere; when it is there, nothing is made', async () => {
  const db = place()
  const secrets = await startSecretsManager()
  const printed = await step(db, secrets)
  expect(printed).toBe('The first token is in arn:secret.\n')
  const { all, opened } = await tokensIn(db, secrets.value!)
  expect(opened).toMatchObject({ name: 'first', scope: 'admin', identifiers: {} })
  expect(await step(db, secrets)).toBe('There is a first token already.\n')
  expect((await tokensIn(db, '')).all).toEqual(all)
})

it('fails when the token cannot be put away, and makes another the next time: the one that nobody has is revoked', async () => {
  const db = place()
  const secrets = await startSecretsManager()
  secrets.refusals = 1
  await expect(step(db, secrets)).rejects.toThrow('AccessDeniedException')
  await step(db, secrets)
  const { all, opened } = await tokensIn(db, secrets.value!)
  const valid = all.filter(({ revokedAt }) => revokedAt === null)
  expect(all).toHaveLength(2)
  expect(valid.map(({ id }) => id)).toEqual([opened!.id])
})
