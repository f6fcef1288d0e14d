import { randomUUID } from 'node:crypto'
import { load } from './load.ts'
import { LIMIT, OWNER, type PeerModule } from './peer.ts'

interface Mastra {
  saveThread(request: object): Promise<unknown>
  saveMessages(request: { messages: object[] }): Promise<unknown>
  recall(request: object): Promise<{ messages: { content: { parts: { text?: string }[] } }[] }>
}
interface Closable {
  close(): Promise<void>
}

const THREAD = { threadId: OWNER, resourceId: OWNER }

export const mastra: PeerModule = {
  settings:
    'LibSQLStore and LibSQLVector in one folder, semantic recall over the resource with topK 10, no neighbouring messages and no recent ones. Each statement is a message of one thread; bulk is one saveMessages().',
  packages: ['@mastra/memory', '@mastra/libsql'],
  persistent: true,
  async open({ folder, embed }) {
    const { Memory } = await load<{ Memory: new (config: object) => Mastra }>('@mastra/memory')
    const { LibSQLStore, LibSQLVector } =
      await load<Record<'LibSQLStore' | 'LibSQLVector', new (config: object) => Closable>>('@mastra/libsql')
    const storage = new LibSQLStore({ id: 'store', url: `file:${folder}/store.db` })
    const vector = new LibSQLVector({ id: 'vector', url: `file:${folder}/vector.db` })
    const embedder = {
      specificationVersion: 'v2',
      provider: 'bench',
      modelId: 'bench',
      maxEmbeddingsPerCall: 1000,
      supportsParallelCalls: true,
      doEmbed: async ({ values }: { values: string[] }) => ({
        embeddings: (await embed(values)).map((each) => [...each]),
      }),
    }
    const semanticRecall = { topK: LIMIT, messageRange: 0, scope: 'resource' }
    const memory = new Memory({ storage, vector, embedder, options: { lastMessages: false, semanticRecall } })
    // Each message gets its own time, because messages with the same time would count as one.
    let moment = Date.now()
    const now = new Date(moment)
    await memory.saveThread({ thread: { id: OWNER, resourceId: OWNER, title: OWNER, createdAt: now, updatedAt: now } })
    const save = (texts: readonly string[]) =>
      memory.saveMessages({
        messages: texts.map((text) => ({
          ...{ id: randomUUID(), role: 'user', createdAt: new Date(moment++), ...THREAD },
          content: { format: 2, parts: [{ type: 'text', text }], content: text },
        })),
      })
    return {
      add: (text) => save([text]),
      bulk: save,
      async search(vectorSearchString) {
        const { messages } = await memory.recall({ ...THREAD, vectorSearchString })
        return messages.map(({ content }) => content.parts.map(({ text }) => text).join(''))
      },
      async close() {
        await storage.close?.()
        await vector.close()
      },
    }
  },
}
