import { hashingEmbedding } from '../../../src/embedding/hashing.ts'
import { openMemory } from '../../../src/engine/open-memory.ts'
import { MemoryError } from '../../../src/model/errors.ts'

// Tries everything on a store that may be broken, and prints one line per attempt: `ok` or the error.
const [path, ...operations] = process.argv.slice(2)
const ALL = { everything: true } as const
const scope = { layer: 'project' as const, identifiers: { projectId: 'p' } }

async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
    console.log(JSON.stringify({ name, ok: true }))
  } catch (error) {
    const { code, retryable, message } = error as MemoryError
    const known = MemoryError.is(error)
    console.log(
      JSON.stringify({
        name,
        ok: false,
        known,
        code,
        retryable,
        message,
        ...(known ? {} : { stack: (error as Error).stack }),
      }),
    )
  }
}

let memory: Awaited<ReturnType<typeof openMemory>> | undefined
await attempt('open', async () => {
  memory = await openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding(), retry: { retries: 0 } })
})
if (memory) {
  const store = memory
  const identifiers = { projectId: 'p' }
  const all: Record<string, () => Promise<unknown>> = {
    list: () => store.list({ ...ALL, limit: 100 }),
    keyword: () => store.search({ query: 'queue backup disk', identifiers, mode: 'keyword', threshold: 0 }),
    semantic: () => store.search({ query: 'queue backup disk', identifiers, mode: 'semantic', threshold: 0 }),
    narrowed: () =>
      store.search({ query: 'queue', identifiers, tags: ['even'], filter: { n: { gt: 3 } }, threshold: 0 }),
    history: async () => {
      for (const { id } of (await store.list({ ...ALL, limit: 20 })).memories) await store.history(id, ALL)
    },
    export: async () => {
      for await (const _ of store.export(ALL));
    },
    stats: () => store.stats(),
    add: () => store.add({ exact: true, content: `Written at ${Date.now()}`, ...scope }),
    update: async () => {
      for (const { id } of (await store.list({ ...ALL, limit: 3 })).memories)
        await store.update(id, { content: `Changed ${id}` }, ALL)
    },
    delete: async () => {
      for (const { id } of (await store.list({ ...ALL, limit: 3 })).memories) await store.delete(id, ALL)
    },
    reembed: () => store.reembed(),
  }
  for (const [name, work] of Object.entries(all)) {
    if (operations.length === 0 || operations.includes(name)) await attempt(name, work)
  }
  await attempt('shutdown', () => store.shutdown())
}
