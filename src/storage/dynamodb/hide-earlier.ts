import { type Item, toItem } from './attributes.ts'
import { type Connection, pause } from './connection.ts'
import { Counting } from './counters.ts'
import { absent, asRead } from './item-conditions.ts'
import { Lanes } from './lanes.ts'
import { contentHash, fromMemoryItem, type StoredRow } from './memory-item.ts'
import { hiddenPartition, partitionOf } from './place.ts'
import { isPublished, type Opponent } from './published.ts'
import { uniqueKey } from './scope-key.ts'
import { readSegments } from './segments.ts'
import { TakenPlaces } from './taken-places.ts'

const MOST_ATTEMPTS = 5

/**
 * Earlier versions left held, inactive and corrected memories where other programs read them. Moves these out of sight,
 * and returns how many there are, or were. Reads the whole store.
 */
export async function hideEarlier(connection: Connection, dryRun: boolean): Promise<number> {
  const at = new Date().toISOString()
  const visible = new Map<string, Opponent>()
  const suspects: { item: Item; stored: StoredRow }[] = []
  for await (const { items } of readSegments(connection, 'agent-memories')) {
    for (const item of items) {
      const stored = fromMemoryItem(item, connection.model)
      if (!stored || stored.revision === null) continue
      const { memory, visibleUntil } = stored.row
      visible.set(memory.id, { visibleUntil, memory: { trust: memory.trust } })
      const isPlain = partitionOf(stored.place) === stored.place.agentProjectKey
      if (isPlain && !isPublished(stored.row, at, stored, () => STRONGEST)) suspects.push({ item, stored })
    }
  }
  const wrong = suspects.filter(({ stored }) => !isPublished(stored.row, at, stored, (id) => visible.get(id)))
  const lanes = new Lanes(connection)
  if (!dryRun) for (const { item, stored } of wrong) await hide(connection, lanes, item, stored)
  return wrong.length
}

/** An opponent that outweighs every memory. */
const STRONGEST: Opponent = { visibleUntil: '9999', memory: { trust: 'operator' } }

/** Moves the whole item. If it has changed since it was read, that change has already put it in its place. */
async function hide(connection: Connection, lanes: Lanes, item: Item, stored: StoredRow): Promise<void> {
  const TableName = connection.table('agent-memories')
  const { row, place, revision } = stored
  const others = new TakenPlaces()
  for (let attempt = 1; ; attempt++) {
    await pause(attempt - 1)
    const hidden = others.free(row.memory, hiddenPartition(place.agentProjectKey), stored)
    const counting = new Counting()
    for (const each of [place, hidden]) counting.write(row, each)
    const written = { revision: revision! + 1, contentHash: contentHash(row.memory.content, revision! + 1) }
    const moved = { ...item, ...toItem({ ...hidden, ...written }) }
    const pointer = toItem({ key: uniqueKey('id', row.memory.id), memory: row.memory.id, ...hidden })
    const taken = await lanes.take(counting.partitions)
    try {
      return await connection.transact([
        { Delete: { TableName, Key: toItem({ ...place }), ...asRead(stored) } },
        { Put: { TableName, Item: moved, ...absent('agent-memories') } },
        { Put: { TableName: connection.table('agent-memory-keys'), Item: pointer } },
        ...counting.updates(connection, taken, Date.now()),
      ])
    } catch (error) {
      const [now] = await connection.get('agent-memories', [place])
      if (now?.revision?.N !== item.revision?.N) return
      if (attempt === MOST_ATTEMPTS) throw error
    }
  }
}
