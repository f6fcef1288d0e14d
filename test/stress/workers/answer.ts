import { createInterface } from 'node:readline'
import { hashingEmbedding } from '../../../src/embedding/hashing.ts'
import { openMemory } from '../../../src/engine/open-memory.ts'

// Answers vector searches, one a line, from one long-lived connection: `{query, projectId, limit}` in, `[[id, cosine], ...]` out.
const [path, dimensions] = process.argv.slice(2)
const embedding = hashingEmbedding({ dimensions: Number(dimensions) })
const memory = await openMemory({ storage: `sqlite:${path}`, embedding })
console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const { query, projectId, limit } = JSON.parse(line) as { query: string; projectId: string; limit: number }
  const matches = await memory.storage.searchVector!({
    scope: { layer: 'project', owner: projectId, projects: [null] },
    vector: (await embedding.embed([query]))[0]!,
    model: embedding.name,
    where: { visibleAt: new Date() },
    limit,
  })
  console.log(`answer ${JSON.stringify(matches.map((match) => [match.memory.id, match.cosine]))}`)
}
await memory.shutdown()
