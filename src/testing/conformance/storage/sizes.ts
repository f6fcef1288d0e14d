import { expect } from 'vitest'
import { LIMITS } from '../../../model/limits.ts'
import type { Link, Memory } from '../../../model/memory.ts'
import type { Page } from '../../../model/page.ts'
import type { Write } from '../../../storage/commit.ts'
import type { Storage } from '../../../storage/storage.ts'
import { group } from '../group.ts'
import { anEvent, aSession, personality, showing } from './records.ts'
import {
  commit,
  expectVector,
  freshKey,
  hashOf,
  idOf,
  insert,
  numberOf,
  query,
  question,
  record,
  stored,
  update,
  walk,
  write,
} from './writing.ts'

/** More than known stores accept as keys in a request, or items in a page. */
const MANY = 300
const counted = Array.from({ length: MANY }, (_, i) => i + 1)

/** As many inserts as one commit takes. Each weighs less than a thousand bytes. */
function fullCommit({ maxWrites, maxBytes }: Storage['capabilities']): Write[] {
  const length = Math.min(maxWrites, Math.floor(maxBytes / 1000), 1000)
  return Array.from({ length }, (_, i) => insert(i))
}

/** Every field at its maximum length, and numbers that need all their digits. */
function largest({ maxContentLength }: Storage['capabilities']): Partial<Memory> {
  return {
    content: '語'.repeat(maxContentLength),
    tags: Array.from({ length: LIMITS.tags }, (_, i) => String(i).padStart(LIMITS.tag, '札')),
    links: Array.from({ length: LIMITS.links }, (_, i): Link => ({ relation: 'confirms', memory: idOf(i) })),
    metadata: {
      exact: [0.1 + 0.2, 1 / 3, Number.MAX_SAFE_INTEGER, -Number.MAX_VALUE, Number.MIN_VALUE],
      long: 'm'.repeat(LIMITS.metadata - 200),
    },
    anchor: '錨'.repeat(LIMITS.anchor),
    service: '務'.repeat(LIMITS.service),
    identifiers: { projectId: '店'.repeat(LIMITS.identifier) },
  }
}

export const sizeCases = group('sizes', (it) => {
  it('a commit of the maximum size is applied completely or not at all', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const writes = fullCommit(storage.capabilities)
    const last = writes.length - 1
    const failures = [{ write: last, reason: 'missing' }]
    expect(await commit(storage, [...writes.slice(0, last), update(9999, 2)])).toEqual({ applied: false, failures })
    expect((await other.memories(query({ limit: 1 }))).totalCount).toBe(0)
    const [key, changed] = [freshKey(), writes.length]
    expect(await commit(storage, writes, { key })).toMatchObject({ applied: true, repeated: false, changed })
    expect(await commit(storage, writes, { key })).toMatchObject({ applied: true, repeated: true, changed })
    expect((await other.memories(query({ limit: 1 }))).totalCount).toBe(changed)
  })

  it('any number of keys can be requested', async (store) => {
    const storage = await store.storage()
    const names = counted.map((number) => `agent ${String(number).padStart(4, '0')}`)
    await write(storage, [
      ...counted.map((number) => insert(number, {}, { text: `text ${number}`, once: `once ${number}` })),
      ...names.map((name): Write => ({ kind: 'put', collection: 'personality', document: personality(name) })),
    ])
    expect((await stored(storage, ...counted)).map(({ id }) => numberOf(id))).toEqual(counted)
    const vectors = await storage.embeddings(counted.map((number) => hashOf(`text ${number}`)))
    for (const number of counted) expectVector(vectors.get(hashOf(`text ${number}`)), `text ${number}`)
    expect((await storage.known(counted.map((number) => `once ${number}`))).size).toBe(MANY)
    for (const keys of [names, undefined]) {
      const found = await storage.documents('personality', keys)
      expect(found.map(({ agentName }) => agentName)).toEqual(names)
    }
  })

  it('pages have the requested size', async (store) => {
    const storage = await store.storage()
    await write(
      storage,
      counted.flatMap((number): Write[] => [
        insert(number),
        { kind: 'session', session: aSession(number) },
        { kind: 'injection', injection: showing(number), recall: false },
        { kind: 'event', event: anEvent(number) },
      ]),
    )
    type Part = { after: string | null; limit: number }
    const reads: Record<string, (part: Part) => Promise<Page<unknown>>> = {
      memories: (part) => storage.memories(query(part)),
      changes: (part) => storage.changes({ memory: null, ...part }),
      sessions: (part) => storage.sessions({ any: null, ...part }),
      injections: (part) => storage.injections({ session: 'run-1', memory: null, ...part }),
      events: (part) => storage.events({ any: [{ project: 'shop' }], ...part }),
    }
    for (const [name, read] of Object.entries(reads)) {
      for (const limit of [MANY - 1, MANY, LIMITS.pageLimit]) {
        expect((await walk(limit, read)).length, `${name} in pages of ${limit}`).toBe(MANY)
      }
    }
  })

  it('stores the largest memory exactly, with its history', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    const fields = largest(storage.capabilities)
    await write(storage, [insert(1, fields), insert(2)])
    await write(storage, [update(2, 2, fields)])
    expect(await stored(other, 1, 2)).toEqual([record(1, fields), record(2, { ...fields, version: 2 })])
    const { items } = await other.changes({ memory: idOf(1), after: null, limit: 9 })
    expect(items.map(({ after }) => after)).toEqual([record(1, fields)])
  })

  it('a memory is found by each of its tokens, however many there are', async (store) => {
    const storage = await store.storage()
    if (!storage.capabilities.keywordSearch) return
    const tokens = (name: string) => Array.from({ length: 3000 }, (_, i) => `${name}${i}`)
    await write(storage, [insert(1, {}, { tokens: tokens('a') }), insert(2, {}, { tokens: ['z'] })])
    await write(storage, [update(2, 2, {}, { tokens: tokens('b') })])
    const wanted = [['a0', 1] as const, ['a2999', 1] as const, ['b1001', 2] as const, ['b2999', 2] as const]
    const found = await storage.search(wanted.map(([token]) => question({ tokens: [token] })))
    for (const [i, [token, number]] of wanted.entries()) {
      const { candidates, frequencies } = found[i]!
      expect([candidates.map(({ memory }) => memory.id), frequencies], token).toEqual([[idOf(number)], [1]])
    }
  })
})
