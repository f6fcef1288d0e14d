import { randomUUID } from 'node:crypto'
import { load } from './load.ts'
import { DIMENSIONS, type Embed, LIMIT, OWNER, type Peer, type PeerModule } from './peer.ts'

interface Mem0 {
  add(messages: { role: 'user'; content: string }[], options: { userId: string; infer: false }): Promise<unknown>
  search(query: string, options: object): Promise<{ results: { memory: string }[] }>
}

export const mem0: PeerModule = {
  settings:
    'Open source, infer: false, so no model but the embedder is asked; its SQLite vector store and history; telemetry off; threshold 0. Bulk is one add() with a message for each statement.',
  packages: ['mem0ai/oss'],
  persistent: true,
  open: ({ folder, embed }) =>
    openMem0(folder, embed, {
      provider: 'memory',
      config: { ...COLLECTION, dimension: DIMENSIONS, dbPath: `${folder}/vectors.db` },
    }),
}

// Read when the package is loaded.
process.env.MEM0_TELEMETRY = 'false'

const COLLECTION = { collectionName: `bench_${randomUUID().slice(0, 8)}` }

async function openMem0(folder: string, embed: Embed, vectorStore: object): Promise<Peer> {
  process.env.MEM0_DIR = folder
  const { Memory } = await load<{ Memory: new (config: object) => Mem0 }>('mem0ai/oss')
  const embedAll = async (texts: readonly string[]) => (await embed(texts)).map((vector) => [...vector])
  const model = { embedDocuments: embedAll, embedQuery: async (text: string) => (await embedAll([text]))[0] }
  const memory = new Memory({
    embedder: { provider: 'langchain', config: { model, embeddingDims: DIMENSIONS } },
    vectorStore,
    llm: { provider: 'langchain', config: { model: { invoke: () => Promise.reject(new Error('not asked')) } } },
    historyDbPath: `${folder}/history.db`,
  })
  const add = (texts: readonly string[]) =>
    memory.add(
      texts.map((content) => ({ role: 'user', content })),
      { userId: OWNER, infer: false },
    )
  return {
    add: (text) => add([text]),
    bulk: add,
    async search(query) {
      const { results } = await memory.search(query, { filters: { user_id: OWNER }, topK: LIMIT, threshold: 0 })
      return results.map(({ memory }) => memory)
    },
    close: async () => {},
  }
}
