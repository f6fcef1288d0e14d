import { Connection } from '../src/storage/dynamodb/connection.ts'
import type { DynamodbOptions } from '../src/storage/dynamodb/dynamodb-storage.ts'
import { toMemoryItem } from '../src/storage/dynamodb/memory-item.ts'
import type { Storage } from '../src/storage/storage.ts'
import { encodeFloat16 } from '../src/vector/float16.ts'
import { fill, MODEL } from './synthetic.ts'

export const PARTITION = '@project#bench'

/** Writes the memories into the table directly, in its own format, because commits of fourteen would take minutes. */
export async function fillTable(options: DynamodbOptions, size: number): Promise<void> {
  const connection = new Connection(options)
  const commit: Storage['commit'] = async ({ writes }) => {
    const items = writes.flatMap((write) => {
      if (write.kind !== 'insert' || !write.row.embedding) return []
      const { memory, visibleUntil, tokens, embedding } = write.row
      const row = { memory, visibleUntil, tokens, embedding: { model: MODEL.name, hash: embedding.hash } }
      const place = { agentProjectKey: PARTITION, createdAt: memory.createdAt }
      return [toMemoryItem({ row, vector: encodeFloat16(embedding.vector), place, revision: 1 })]
    })
    await connection.put('agent-memories', items)
    return { applied: true, repeated: false, changed: items.length, note: null }
  }
  await fill({ commit }, size)
  await connection.close()
}
