import { onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import type { Nokosu } from '../../src/engine/nokosu.ts'
import { type MemoryOptions, openMemory } from '../../src/engine/open-memory.ts'
import type { Identifiers } from '../../src/model/layer.ts'
import { serveForTest } from '../mcp/serve-for-test.ts'

export const SHOP = { projectId: 'shop' }
export const EVERYTHING = { everything: true } as const
export const quick = { retries: 2, baseMs: 1 }

/** A server that requires tokens, and clients of it. */
export async function served() {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations: null })
  onTestFinished(() => memory.shutdown())
  await memory.tokens.create({ name: 'first', scope: 'admin' })
  const { url } = await serveForTest(memory, { requireToken: true })
  let made = 0
  const token = async (scope: 'read' | 'write' | 'admin', identifiers: Identifiers = {}) =>
    (await memory.tokens.create({ name: `token-${made++}`, scope, identifiers })).secret
  const connect = async (given: string, options: MemoryOptions = {}): Promise<Nokosu> => {
    const remote = await openMemory({ storage: url, token: given, retry: quick, ...options })
    onTestFinished(() => remote.shutdown())
    return remote
  }
  /** A request that our clients never send. */
  const post = async (name: string, secret: string, body: object) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/engine/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as { value?: unknown; error?: { code: string } } }
  }
  return { memory, url, token, connect, post }
}
