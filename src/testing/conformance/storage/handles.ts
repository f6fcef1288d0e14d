import { expect } from 'vitest'
import type { Write } from '../../../storage/commit.ts'
import type { Storage } from '../../../storage/storage.ts'
import { group } from '../group.ts'
import { anEvent, aSession, personality, showing } from './records.ts'
import { hashOf, idOf, insert, query, question, remove, second, update, write } from './writing.ts'

const page = { after: null, limit: 5 }

/** One query for each way to read, and how many results it has. */
const READS: Record<string, (storage: Storage) => Promise<number>> = {
  known: async (storage) => (await storage.known(['once'])).size,
  get: async (storage) => (await storage.get([idOf(1)])).length,
  memories: async (storage) => (await storage.memories(query())).items.length,
  documents: async (storage) => (await storage.search([question()]))[0]!.documents,
  embeddings: async (storage) => (await storage.embeddings([hashOf('one')])).size,
  changes: async (storage) => (await storage.changes({ memory: idOf(1), ...page })).items.length,
  'changes of the store': async (storage) => (await storage.changes({ memory: null, ...page })).items.length,
  sessions: async (storage) => (await storage.sessions({ any: [{ id: 'run-1' }], ...page })).items.length,
  'sessions of the store': async (storage) => (await storage.sessions({ any: null, ...page })).items.length,
  injections: async (storage) => (await storage.injections({ session: 'run-1', memory: null, ...page })).items.length,
  events: async (storage) => (await storage.events({ any: [{ project: 'shop' }], ...page })).items.length,
  personalities: async (storage) => (await storage.documents('personality')).length,
  'personalities by name': async (storage) => (await storage.documents('personality', ['nori'])).length,
  stats: async (storage) => (await storage.stats()).memories,
}

const WRITES: Write[] = [
  insert(1, {}, { once: 'once', text: 'one', tokens: ['a'] }),
  { kind: 'session', session: aSession(1) },
  { kind: 'injection', injection: showing(1), recall: false },
  { kind: 'event', event: anEvent(1) },
  { kind: 'put', collection: 'personality', document: personality('nori') },
]

export const handleCases = group('two handles', (it) => {
  it('what one writes the other reads immediately, even after an earlier read', async (store) => {
    const [writer, reader] = [await store.storage(), await store.storage()]
    for (const [name, read] of Object.entries(READS)) expect(await read(reader), name).toBe(0)
    await write(writer, WRITES)
    for (const [name, read] of Object.entries(READS)) expect(await read(reader), name).toBe(1)
  })

  it('a memory restored under its id is readable immediately, for the handle that deleted it and for others', async (store) => {
    const handles = [await store.storage(), await store.storage()] as const
    const [writer] = handles
    const seen = (storage: Storage) =>
      Promise.all(['get', 'memories', 'documents'].map((name) => READS[name]!(storage)))
    await write(writer, [insert(1, {}, { text: 'one', tokens: ['a'] })])
    await write(writer, [update(1, 2, { content: 'Changed' })])
    for (const handle of handles) expect(await seen(handle)).toEqual([1, 1, 1])
    await write(writer, [remove(1)])
    for (const handle of handles) expect(await seen(handle)).toEqual([0, 0, 0])
    await write(writer, [insert(1, { version: 4, content: 'Back' }, { text: 'one', tokens: ['a'] })])
    for (const handle of handles) {
      expect(await seen(handle)).toEqual([1, 1, 1])
      expect((await handle.memories(query())).items[0]!.memory).toMatchObject({ version: 4, content: 'Back' })
    }
  })

  it('changes and deletions too, and a purge', async (store) => {
    const [writer, reader] = [await store.storage(), await store.storage()]
    await write(writer, WRITES)
    const content = async () => (await reader.memories(query())).items.map(({ memory }) => memory.content)
    expect(await content()).toEqual(['Record 1'])
    await write(writer, [update(1, 2, { content: 'Changed' }, { text: 'two' })])
    expect(await content()).toEqual(['Changed'])
    await write(writer, [remove(1)], { at: second(1) })
    expect(await content()).toEqual([])
    expect(await READS.changes!(reader)).toBe(3)
    await writer.purge({ before: second(9), dryRun: false })
    for (const name of ['changes', 'injections', 'known', 'embeddings']) {
      expect(await READS[name]!(reader), name).toBe(0)
    }
  })
})
