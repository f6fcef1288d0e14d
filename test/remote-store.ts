import { onTestFinished } from 'vitest'
import { hashingEmbedding } from '../src/embedding/hashing.ts'
import type { Nokosu } from '../src/engine/nokosu.ts'
import { openMemory } from '../src/engine/open-memory.ts'
import type { CandidateInput } from '../src/model/candidate.ts'
import type { StoreConnection } from '../src/remote/client.ts'
import { perform, type Served } from '../src/remote/protocol.ts'
import type { SpoolRecord } from '../src/remote/spool-file.ts'
import { referenceStorage } from '../src/storage/reference/reference-storage.ts'
import type { Storage } from '../src/storage/storage.ts'

export { scratchFolder as temporaryFolder } from './fixtures/scratch-folder.ts'

export async function openEngine(storage: Storage = referenceStorage()): Promise<Nokosu> {
  const engine = await openMemory({ storage, embedding: hashingEmbedding(), retry: { retries: 0 } })
  onTestFinished(() => engine.shutdown())
  return engine
}

export function observation(content: string): CandidateInput {
  return { content, category: 'behavior' }
}

/** A connection to an engine in this process. Requests still travel as JSON. */
export function connectTo(engine: Nokosu): StoreConnection {
  const served: Served = { engine, deliver: () => Promise.reject(new Error('There is no spool here.')) }
  return {
    request: async (call, input, { key }) => {
      const request = { call, input, ...(key === undefined ? {} : { key }) }
      return JSON.parse(JSON.stringify(await perform(served, JSON.parse(JSON.stringify(request)))))
    },
  }
}

/** An observation as a process spools it. */
export function spooled(key: string, content: string, projectId = 'shop', session = 's1'): SpoolRecord {
  return { key, call: 'remember', input: { candidate: observation(content), identifiers: { projectId }, session } }
}

export async function contentsOf(engine: Nokosu, projectId = 'shop'): Promise<string[]> {
  const { memories } = await engine.list({ identifiers: { projectId }, includeInactive: true })
  return memories.map(({ content }) => content).sort()
}
