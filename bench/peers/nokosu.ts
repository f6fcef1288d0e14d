import { LIMIT, OWNER, type Peer, type PeerModule, type Place } from './peer.ts'

const [INDEX, EMBEDDING] = ['index', 'embedding/local'].map(
  (entry) => new URL(`../../dist/${entry}.js`, import.meta.url).href,
) as [string, string]
const AGENT = { projectId: OWNER, agentId: OWNER }

export const nokosu: PeerModule = {
  ...{ packages: [INDEX, EMBEDDING], persistent: true },
  settings:
    'Defaults, the built package, SQLite. Statements come from an agent, so rules, the guard’s model and the relation model read each one; every addition is on the disk (synchronous=FULL). Filled with exact additions, which are not weighed; threshold 0.',
  open: (place) => openNokosu(place, {}),
}

/** What the others do: they store a text as it comes, without looking at what is there. */
export const nokosuExact: PeerModule = {
  ...nokosu,
  settings: 'The same with `exact`: stored as it is, without comparing it with what is there.',
  open: (place) => openNokosu(place, { exact: true }),
}

async function openNokosu({ folder, embed }: Place, options: { exact?: true }): Promise<Peer> {
  const { openMemory } = (await import(INDEX)) as typeof import('../../src/index.ts')
  const { localEmbedding } = (await import(EMBEDDING)) as typeof import('../../src/embedding/local.ts')
  const embedding = { ...localEmbedding(), embed }
  const memory = await openMemory({ storage: `sqlite:${folder}/memory.db`, embedding })
  const one = (content: string) => ({ content, layer: 'project' as const, identifiers: AGENT })
  return {
    add: (text) => memory.add({ ...one(text), ...options }),
    bulk: (texts) => memory.bulkAdd(texts.map(one), options),
    fill: (texts) => memory.bulkAdd(texts.map(one), { exact: true }),
    async search(query) {
      const found = await memory.search({
        query,
        identifiers: { projectId: OWNER },
        layers: ['project'],
        limit: LIMIT,
        threshold: 0,
      })
      return found.results.map(({ memory }) => memory.content)
    },
    close: () => memory.shutdown(),
  }
}
