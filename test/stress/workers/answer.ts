import { createInterface } from 'node:readline'
import { openDirect } from '../direct-store.ts'

// Answers vector searches, one per line, from one long-lived connection: `{query, projectId, limit}` in, `[[id, cosine], ...]` out.
const [path, dimensions] = process.argv.slice(2)
const store = await openDirect(path!, { dimensions: Number(dimensions) })
console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const { query, projectId, limit } = JSON.parse(line) as { query: string; projectId: string; limit: number }
  console.log(`answer ${JSON.stringify(await store.nearest(query, projectId, limit))}`)
}
await store.storage.shutdown()
