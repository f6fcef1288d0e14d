import type { Nokosu } from '../engine/open-memory.ts'
import type { Memory } from '../model/memory.ts'
import type { Session } from '../model/records.ts'
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
  for (const personality of await storage.listPersonalities()) yield { type: 'personality', personality }
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
  for await (const { changes } of parts((after) => storage.listChanges(after, PART))) {
    for (const change of changes) yield { type: 'change', change }
  }
  for await (const { id } of allSessions(engine)) {
    for (const injection of await storage.listInjections(id)) yield { type: 'injection', injection }
  }
  for await (const { events } of parts((after) => storage.listAllEvents(after, PART))) {
    for (const event of events) yield { type: 'event', event }
  }
}

async function* parts<Part extends { position: number | null }>(
  read: (after: number | null) => Promise<Part>,
): AsyncGenerator<Part> {
  let after: number | null = null
  do {
    const part: Part = await read(after)
    yield part
    after = part.position
  } while (after !== null)
}

/** Oldest first, so that an import gives them the same order. Stores list the newest first: the parts are found, then walked back. */
async function* allSessions({ storage }: Nokosu): AsyncGenerator<Session> {
  const starts: (string | null)[] = [null]
  for (;;) {
    const { sessions } = await storage.listSessions({ limit: PART, before: starts.at(-1)! })
    if (sessions.length < PART) break
    starts.push(sessions.at(-1)!.id)
  }
  for (const before of starts.reverse()) {
    const { sessions } = await storage.listSessions({ limit: PART, before })
    yield* sessions.reverse()
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
