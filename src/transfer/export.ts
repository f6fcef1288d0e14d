import type { Memory } from '../model/memory.ts'
import type { Session } from '../model/session.ts'
import type { Nokosu } from '../nokosu.ts'
import { FORMAT, type TransferRecord } from './record.ts'

export interface ExportOptions {
  /** Vectors make the file larger, and the import quick. Default: true. */
  vectors?: boolean
  onProgress?: (done: number, total: number) => void
}

const PART = 500

/** Everything in the store as lines of JSON, a part at a time, without their line breaks. */
export async function* exportStore(engine: Nokosu, options: ExportOptions = {}): AsyncGenerator<string> {
  const { memories, sessions } = await engine.stats()
  let done = 0
  yield JSON.stringify({ ...FORMAT, exportedAt: new Date().toISOString(), memories, sessions })
  for await (const record of records(engine, options.vectors ?? true)) {
    if (record.type === 'memory') options.onProgress?.(++done, memories)
    yield JSON.stringify(record)
  }
}

async function* records(engine: Nokosu, withVectors: boolean): AsyncGenerator<TransferRecord> {
  const { storage, embedding } = engine
  for (const entry of await storage.directory()) yield { type: 'directory', entry }
  for await (const session of allSessions(engine)) yield { type: 'session', session }
  for await (const part of memoryParts(engine)) {
    const ids = part.map((memory) => memory.id)
    const vectors = withVectors ? await storage.vectors(ids, embedding.name) : null
    for (const memory of part) {
      const vector = vectors?.get(memory.id)
      yield {
        type: 'memory',
        memory,
        ...(vector && { embedding: { model: embedding.name, vector: encodeVector(vector) } }),
      }
    }
  }
  let position: number | null = null
  do {
    const start: number | null = position
    const part = await storage.listChanges(start, PART)
    for (const change of part.changes) yield { type: 'change', change }
    position = part.position
  } while (position !== null)
}

async function* allSessions({ storage }: Nokosu): AsyncGenerator<Session> {
  let before: string | null = null
  for (;;) {
    const { sessions }: { sessions: Session[] } = await storage.listSessions({ limit: PART, before })
    yield* sessions
    if (sessions.length < PART) return
    before = sessions.at(-1)!.id
  }
}

async function* memoryParts({ storage }: Nokosu): AsyncGenerator<Memory[]> {
  let after: { createdAt: string; id: string } | null = null
  for (;;) {
    const { memories }: { memories: Memory[] } = await storage.list({
      scopes: null,
      where: {},
      limit: PART,
      after,
      count: false,
    })
    yield memories
    const last = memories.at(-1)
    if (!last || memories.length < PART) return
    after = { createdAt: last.createdAt, id: last.id }
  }
}

function encodeVector(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}
