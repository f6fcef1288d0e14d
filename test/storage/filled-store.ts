import { join } from 'node:path'
import { expect } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { runWorker } from '../stress/worker-process.ts'

/** An unprivileged user: the tests may run as root, who bypasses permissions. */
export const NOBODY = 65534
export const IS_ROOT = process.getuid?.() === 0
export const SCOPE = { layer: 'project' as const, identifiers: { projectId: 'p' } }
export const open = (path: string) =>
  openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding(), retry: { retries: 0 } })

export interface Attempt {
  name: string
  ok: boolean
  known?: boolean
  code?: string
  retryable?: boolean
  message?: string
}

export async function attempt(
  path: string,
  operations: readonly string[] = [],
  { bound = false } = {},
): Promise<Attempt[]> {
  const options = bound && IS_ROOT ? { user: NOBODY } : {}
  return (await runWorker('attempt', [path, ...operations], options)).map((line) => JSON.parse(line) as Attempt)
}

/** A closed store with two packed pages of vectors, history and text. */
export async function filledStore(folder: string): Promise<string> {
  const path = join(folder, 'memory.db')
  const memory = await open(path)
  const contents = Array.from({ length: 300 }, (_, i) => ({
    content: `${['queue', 'backup', 'disk', 'router'][i % 4]} observation ${i}`,
    tags: [i % 2 ? 'odd' : 'even'],
    metadata: { n: i },
    ...SCOPE,
  }))
  for (let i = 0; i < contents.length; i += 100) await memory.bulkAdd(contents.slice(i, i + 100), { exact: true })
  await memory.shutdown()
  return path
}

/** It either works or fails with our error, which is not retryable. */
export function expectHonest(attempts: readonly Attempt[], damage: string): void {
  for (const { name, ok, ...failure } of attempts) {
    if (!ok)
      // A flipped id does not exist.
      expect(failure, `${damage}: ${name}`).toMatchObject({
        known: true,
        code: name === 'update' ? expect.stringMatching(/^(PROVIDER_ERROR|MEMORY_NOT_FOUND)$/) : 'PROVIDER_ERROR',
        retryable: false,
      })
  }
}
