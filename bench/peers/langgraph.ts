import { randomUUID } from 'node:crypto'
import { load } from './load.ts'
import { DIMENSIONS, LIMIT, OWNER, type PeerModule } from './peer.ts'

interface Store {
  put(namespace: string[], key: string, value: object): Promise<void>
  batch(operations: object[]): Promise<unknown>
  search(namespace: string[], options: object): Promise<{ value: { text: string } }[]>
}

export const langgraph: PeerModule = {
  settings:
    'InMemoryStore with an index over the text; bulk is one batch(). It keeps nothing on disk, and JavaScript has no LangGraph store over SQLite (its SQLite package has checkpoints only).',
  packages: ['@langchain/langgraph-checkpoint'],
  persistent: false,
  async open({ embed }) {
    const { InMemoryStore } = await load<{ InMemoryStore: new (config: object) => Store }>(
      '@langchain/langgraph-checkpoint',
    )
    const embedDocuments = async (texts: string[]) => (await embed(texts)).map((vector) => [...vector])
    const embeddings = { embedDocuments, embedQuery: async (text: string) => (await embedDocuments([text]))[0] }
    const store = new InMemoryStore({ index: { dims: DIMENSIONS, embeddings, fields: ['text'] } })
    return {
      add: (text) => store.put([OWNER], randomUUID(), { text }),
      bulk: (texts) => store.batch(texts.map((text) => ({ namespace: [OWNER], key: randomUUID(), value: { text } }))),
      async search(query) {
        return (await store.search([OWNER], { query, limit: LIMIT })).map(({ value }) => value.text)
      },
      close: async () => {},
    }
  },
}
