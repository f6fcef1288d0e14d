import { setImmediate as breathe } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from '../../src/storage/dynamodb/connection.ts'
import { Fingerprints } from '../../src/storage/dynamodb/fingerprints.ts'
import { readSegments } from '../../src/storage/dynamodb/segments.ts'
import { CREATED, NORI, writer } from '../dynamodb/foreign-items.ts'
import { place } from '../dynamodb/local-tables.ts'

const DAY = 86_400_000
const LONG = 'The checkout service waits for its queue before it starts. '.repeat(250)

/** Items of another program, together several megabytes. */
const items = Array.from({ length: 300 }, (_, i) => ({
  id: { S: `item ${i}` },
  agentProjectKey: { S: `nori#shop ${i % 50}` },
  createdAt: { S: new Date(Date.parse(CREATED) + i).toISOString() },
  content: { S: `${i} ${LONG}` },
  source: { S: 'extraction' },
  active: { BOOL: i % 2 === 0 },
}))

describe('a table that is larger than a page', () => {
  it('is read in segments at once, each item once, and no further than the caller is', async () => {
    const store = await place()
    await writer(store).putAll(items)
    const { proxy } = await store.behindProxy()
    const connection = new Connection({ ...store.options, endpoint: proxy.endpoint })
    onTestFinished(() => connection.close())
    let scans = 0
    proxy.fate = ({ operation }) => {
      if (operation === 'Scan') scans++
      return 'pass'
    }
    const found: string[] = []
    const last = new Map<string, number>()
    for await (const page of readSegments(connection, 'agent-memories', { Limit: 5 })) {
      // One to see that there is more, one page of each of eight segments, and one more where a page was taken.
      while (found.length === 0 && scans < 10) await breathe()
      if (found.length === 0) for (let turn = 0; turn < 100; turn++) await breathe()
      if (found.length === 0) expect(scans).toBe(10)
      for (const { id, agentProjectKey } of page.items) {
        found.push(id!.S!)
        expect(last.get(agentProjectKey!.S!) ?? page.segment).toBe(page.segment)
        last.set(agentProjectKey!.S!, page.segment)
      }
    }
    expect(found.sort()).toEqual(items.map(({ id }) => id.S).sort())
    expect(scans).toBeGreaterThan(60)
  })

  it('a segment that fails is an error of the whole, and nothing is left running', async () => {
    const store = await place()
    await writer(store).putAll(items)
    const { proxy } = await store.behindProxy()
    const connection = new Connection({ ...store.options, endpoint: proxy.endpoint })
    onTestFinished(() => connection.close())
    proxy.fate = ({ operation, body }) =>
      operation === 'Scan' && body.Segment === 3 ? { error: 'AccessDeniedException' } : 'pass'
    const read = Array.fromAsync(readSegments(connection, 'agent-memories'))
    await expect(read).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('purge removes what is old with its history and keys, page by page, and leaves the rest', async () => {
    const store = await place()
    await writer(store).putAll(items)
    const now = () => new Date(Date.parse(CREATED) + 40 * DAY)
    const memory = await store.open({ now })
    const all = { everything: true } as const
    for (const i of [0, 1]) await memory.update(`item ${i}`, { importance: 80 }, all)
    const { memory: own } = await memory.add({ exact: true, content: 'Gone', layer: 'agent', identifiers: NORI })
    await memory.delete(own.id, all)
    const before = new Date(Date.parse(CREATED) + 30 * DAY)
    const planned = await memory.purge({ before, dryRun: true })
    // Item 1 is inactive too, but was changed since. The vector is of the text that was deleted: no memory uses it.
    expect(planned).toMatchObject({ memories: 149, changes: 0, vectors: 1 })
    expect(await memory.purge({ before })).toEqual(planned)
    const page = await memory.list({ ...all, includeInactive: true, limit: 1 })
    expect(page.totalCount).toBe(151)
    const later = new Date(Date.parse(CREATED) + 50 * DAY)
    expect(await memory.purge({ before: later })).toMatchObject({ memories: 1, changes: 4, vectors: 0 })
    expect((await memory.history(own.id, all)).changes).toEqual([])
    expect((await memory.history('item 0', all)).changes).toHaveLength(2)
    const connection = new Connection(store.options)
    onTestFinished(() => connection.close())
    const keys = await connection.scan('agent-memory-keys')
    expect(keys.flatMap(({ memory: of }) => of?.S ?? [])).toEqual(['item 0'])
  })
})

it('remember in a new process reads its scopes, and never the whole table', async () => {
  const store = await place()
  const { memory, proxy } = await store.behindProxy()
  const operations: string[] = []
  proxy.fate = ({ operation }) => {
    operations.push(operation)
    return 'pass'
  }
  const said = { content: 'The build needs Node 24', category: 'timing' as const, service: null }
  expect(await memory.remember([said], { identifiers: NORI, session: 's' })).toMatchObject([{ kind: 'insert' }])
  expect(operations).toContain('Query')
  expect(operations).not.toContain('Scan')
})

it('fingerprints know what was added, and nothing else', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string()), fc.array(fc.string()), (added, others) => {
      const prints = new Fingerprints()
      for (const text of added) prints.add(text)
      for (const text of [...added, ...others]) expect(prints.has(text)).toBe(added.includes(text))
    }),
    { seed: 5, examples: [[Array.from({ length: 3000 }, (_, i) => `id ${i}`), ['id 3000']]] },
  )
})
