import { randomUUID } from 'node:crypto'
import { load } from './load.ts'
import type { PeerModule } from './peer.ts'

interface Entity {
  name: string
  entityType: string
  observations: string[]
}
interface Graph {
  createEntities(entities: Entity[]): Promise<unknown>
  searchNodes(query: string): Promise<{ entities: Entity[] }>
}

const entity = (text: string): Entity => ({ name: randomUUID(), entityType: 'memory', observations: [text] })

export const serverMemory: PeerModule = {
  settings:
    'Its KnowledgeGraphManager in this process, without MCP between. Each statement is an entity; bulk is one createEntities(). It has no vectors: it searches for the longest word of the question as part of the text, and returns all that have it. It does not wait for the disk.',
  packages: ['@modelcontextprotocol/server-memory/dist/index.js'],
  persistent: true,
  async open({ folder }) {
    process.env.MEMORY_FILE_PATH = `${folder}/memory.jsonl`
    const { KnowledgeGraphManager } = await load<{ KnowledgeGraphManager: new (path: string) => Graph }>(
      '@modelcontextprotocol/server-memory/dist/index.js',
    )
    const graph = new KnowledgeGraphManager(`${folder}/memory.jsonl`)
    return {
      add: (text) => graph.createEntities([entity(text)]),
      bulk: (texts) => graph.createEntities(texts.map(entity)),
      async search(question) {
        const words = question.match(/\w+/g) ?? []
        const [longest = question] = words.toSorted((a, b) => b.length - a.length)
        const { entities } = await graph.searchNodes(longest)
        return entities.flatMap(({ observations }) => observations)
      },
      close: async () => {},
    }
  },
}
