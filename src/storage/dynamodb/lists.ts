import type { Commit } from '../commit.ts'
import { textOf } from './attributes.ts'
import type { Connection } from './connection.ts'
import { keyIs } from './item-conditions.ts'
import { type Counted, countedOf, listsOf } from './scope-key.ts'

interface Entry extends Counted {
  list: string
}

/**
 * The partitions of the agents, tasks and sections of a project, kept in the counter table. A partition is listed
 * before its first write and stays listed; an empty one costs readers little.
 */
export class Lists {
  readonly #connection: Connection
  readonly #listed = new Set<string>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async read(list: string): Promise<Counted[]> {
    const items = await this.#connection.query('agent-memory-counters', keyIs('owner', list))
    return items.map((item) => ({ owner: textOf(item, 'of')!, partition: textOf(item, 'shard')! }))
  }

  /**
   * Lists the partitions that a commit writes to. Reads first: a read costs a fifth of a write, and nearly all are
   * listed already.
   */
  async enter({ writes }: Commit): Promise<void> {
    const unknown = new Map<string, Entry>()
    for (const write of writes) {
      if (write.kind !== 'insert' && write.kind !== 'update') continue
      const { memory } = write.row
      for (const list of listsOf(memory)) {
        const entry = { list, ...countedOf(memory) }
        if (!this.#listed.has(nameOf(entry))) unknown.set(nameOf(entry), entry)
      }
    }
    if (unknown.size === 0) return
    const keys = [...unknown.values()].map(({ list, partition }) => ({ owner: list, shard: partition }))
    const there = await this.#connection.get('agent-memory-counters', keys)
    const known = new Set(
      there.map((item) => nameOf({ list: textOf(item, 'owner')!, partition: textOf(item, 'shard')! })),
    )
    const missing = [...unknown.values()].filter((entry) => !known.has(nameOf(entry)))
    await this.#connection.put(
      'agent-memory-counters',
      missing.map(({ list, owner, partition }) => ({ owner: list, shard: partition, of: owner })),
    )
    for (const name of unknown.keys()) this.#listed.add(name)
  }
}

function nameOf({ list, partition }: Pick<Entry, 'list' | 'partition'>): string {
  return `${list} ${partition}`
}
