import { keyOf } from '../../../src/storage/decide.ts'
import type { ReferenceData, Row } from '../../../src/storage/reference/data.ts'
import { find } from '../../../src/storage/reference/find.ts'
import type { Found, SearchQuery } from '../../../src/storage/search-query.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { type BrokenBackend, broken, brokenWrites, spoiledAfter } from './broken-backend.ts'

/** Changes each result. */
function answered(
  title: string,
  change: (found: Found, query: SearchQuery, right: Storage, data: ReferenceData) => Found | Promise<Found>,
): BrokenBackend {
  return broken(title, (right, data) => ({
    async search(queries) {
      const answers = await right.search(queries)
      return Promise.all(answers.map((found, i) => change(found, queries[i]!, right, data)))
    },
  }))
}

/** Tokens that are stored and queried in another form. */
function folded(title: string, fold: (token: string) => string | undefined): BrokenBackend {
  const all = (tokens: readonly string[]) => [...new Set(tokens.flatMap((token) => fold(token) ?? []))]
  return broken(title, (right) => ({
    commit: (commit) =>
      right.commit({
        ...commit,
        writes: commit.writes.map((write) =>
          'row' in write ? ({ ...write, row: { ...write.row, tokens: all(write.row.tokens) } } as typeof write) : write,
        ),
      }),
    search: (queries) =>
      right.search(queries.map((query) => ({ ...query, tokens: query.tokens.map((token) => fold(token) ?? '-') }))),
  }))
}

const TOKENS: BrokenBackend[] = [
  folded('tokens of other scripts are dropped', (token) => (/^[\x20-\x7e]+$/.test(token) ? token : undefined)),
  folded('tokens lose their marks', (token) => token.normalize('NFD').replace(/\p{M}/gu, '')),
  folded('tokens lose their case', (token) => token.toLowerCase()),
  folded('tokens are stemmed', (token) => token.replace(/(n?ing|atic|matic)$/, '')),
  folded('tokens are cut short', (token) => token.slice(0, 100).slice(0, 4)),
  folded('emoji are dropped', (token) => (/\p{L}|\p{N}/u.test(token) ? token : undefined)),
  folded('long tokens are dropped', (token) => (token.length > 100 ? undefined : token)),
  broken('tokens stay as they were when the memory changes', (right, data) => ({
    commit(commit) {
      const writes = commit.writes.map((write) => {
        const stored = write.kind === 'update' && data.memories.get(write.row.memory.id)
        return stored && write.kind === 'update' ? { ...write, row: { ...write.row, tokens: stored.tokens } } : write
      })
      return right.commit({ ...commit, writes })
    },
  })),
  answered('frequencies are those of the whole store', async (found, query, right) => {
    const [whole] = await right.search([{ ...query, scopes: null }])
    return { ...found, frequencies: whole!.frequencies }
  }),
  answered('documents are those of the whole store', async (found, query, right) => {
    const [whole] = await right.search([{ ...query, scopes: null }])
    return { ...found, documents: whole!.documents }
  }),
  answered('frequencies leave out what the conditions exclude', async (found, query, _, data) => {
    const fitting = [...data.memories.values()].filter(({ memory }) => memory.active)
    const only = { ...data, memories: new Map(fitting.map((row): [string, Row] => [row.memory.id, row])) }
    return { ...found, frequencies: find(only, query, 'm1').frequencies }
  }),
  answered('documents leave out what is not visible', (found, query, _, data) => {
    const hidden = [...data.memories.values()].filter(({ visibleUntil }) => visibleUntil === '').length
    return { ...found, documents: query.scopes?.length === 0 ? 0 : found.documents - hidden }
  }),
  answered('frequencies come in another order', (found) => ({ ...found, frequencies: found.frequencies.toReversed() })),
  answered('all tokens must match', (found, { tokens, vector }, _, data) => ({
    ...found,
    candidates: vector
      ? found.candidates
      : found.candidates.filter(({ memory }) => {
          const row = data.memories.get(memory.id)!
          return tokens.every((token) => row.tokens.includes(token))
        }),
  })),
  answered('the best by token are the newest', async (found, query, right) => {
    const [all] = await right.search([{ ...query, limit: 100_000 }])
    const newest = all!.candidates.sort((a, b) => (a.memory.createdAt < b.memory.createdAt ? 1 : -1))
    return { ...found, candidates: newest.slice(0, query.limit) }
  }),
  answered('the best by token are those that hold most of them', async (found, query, right, data) => {
    if (query.vector) return found
    const [all] = await right.search([{ ...query, limit: 100_000 }])
    const held = (id: string) => query.tokens.filter((token) => data.memories.get(id)!.tokens.includes(token)).length
    const most = all!.candidates.sort((a, b) => held(b.memory.id) - held(a.memory.id))
    return { ...found, candidates: most.slice(0, query.limit) }
  }),
  broken('every question gets the answer of the first', (right) => ({
    search: async (queries) => {
      const answers = await right.search(queries)
      return answers.map((_, i) => ({ ...answers[0]!, frequencies: answers[i]!.frequencies }))
    },
  })),
  broken('answers come in another order', (right) => ({
    search: async (queries) => (await right.search(queries)).reverse(),
  })),
]

const VECTORS: BrokenBackend[] = [
  answered('candidates have no vectors', (found) => ({
    ...found,
    candidates: found.candidates.map(({ memory }) => ({ memory, vector: null })),
  })),
  answered('a memory found in two ways comes twice', (found, { vector, tokens }) => ({
    ...found,
    candidates: vector && tokens.length > 0 ? [...found.candidates, ...found.candidates] : found.candidates,
  })),
  answered('more candidates than asked for', async (found, query, right) => {
    const [all] = await right.search([{ ...query, limit: query.limit + 1 }])
    return { ...found, candidates: all!.candidates }
  }),
  answered('the last candidate is left out', (found, { limit }) => ({
    ...found,
    candidates: found.candidates.length === limit ? found.candidates.slice(0, -1) : found.candidates,
  })),
  broken('the farthest are found instead of the nearest', (right) => ({
    search: (queries) =>
      right.search(queries.map((query) => ({ ...query, vector: query.vector?.map((value) => -value) ?? null }))),
  })),
  broken('vectors of another model are seen', (right, data) => {
    const mix = () => {
      for (const row of data.memories.values()) {
        if (!row.embedding) continue
        const vector = data.vectors.get(keyOf(row.embedding.model, row.embedding.hash))!
        for (const name of ['m1', 'm2']) data.vectors.set(keyOf(name, row.embedding.hash), vector)
      }
    }
    return {
      async get(ids) {
        mix()
        return (await right.get(ids)).map((each) => {
          const { embedding } = data.memories.get(each.memory.id)!
          return { ...each, vector: embedding && data.vectors.get(keyOf('m1', embedding.hash))!.slice() }
        })
      },
      embeddings(hashes) {
        mix()
        return right.embeddings(hashes)
      },
    }
  }),
  brokenWrites('an update loses the vector', (write) =>
    write.kind === 'update' ? { ...write, row: { embedding: null, ...write.row } } : write,
  ),
  brokenWrites('an update keeps the old vector', (write) => {
    if (write.kind !== 'update') return write
    const { embedding: _, ...row } = write.row
    return { ...write, row }
  }),
  brokenWrites('an update cannot take a vector away', (write) => {
    if (write.kind !== 'update' || write.row.embedding !== null) return write
    const { embedding: _, ...row } = write.row
    return { ...write, row }
  }),
  brokenWrites('embed does nothing', (write) => (write.kind === 'embed' ? undefined : write)),
  spoiledAfter('embed makes a new version', (data, { writes }) => {
    for (const write of writes) {
      const row = write.kind === 'embed' && data.memories.get(write.id)
      if (row) row.memory = { ...row.memory, version: row.memory.version + 1 }
    }
  }),
  spoiledAfter('a vector goes with the first memory that held its text', (data, { writes }) => {
    if (writes.some((write) => write.kind === 'delete')) data.vectors.clear()
  }),
  broken('embeddings answers for any hash', (right, data) => ({
    async embeddings(hashes) {
      const any = [...data.vectors.values()][0]
      const found = await right.embeddings(hashes)
      return any ? new Map(hashes.map((hash) => [hash, found.get(hash) ?? any])) : found
    },
  })),
  broken('memories brings no vectors', (right) => ({
    memories: (query) => right.memories({ ...query, vectors: false }),
  })),
  broken('memories always brings vectors', (right) => ({
    memories: (query) => right.memories({ ...query, vectors: true }),
  })),
  broken('vectors are kept as 8-bit numbers', (right) => ({
    get: async (ids) =>
      (await right.get(ids)).map(({ memory, vector }) => ({
        memory,
        vector: vector?.map((value) => Math.round(value * 127) / 127) ?? null,
      })),
  })),
  broken('get returns a memory as often as it was asked for', (right) => ({
    get: async (ids) => (await Promise.all(ids.map((id) => right.get([id])))).flat(),
  })),
  broken('get compares ids without case', (right) => ({
    get: (ids) => right.get(ids.map((id) => id.toUpperCase().trim())),
  })),
]

/** Queries a wrong range. */
function around(title: string, places: (asked: number) => number): BrokenBackend {
  return broken(title, (right) => ({
    search: (queries) => right.search(queries.map((query) => ({ ...query, around: places(query.around ?? 0) }))),
  }))
}

/** Neighbours of the candidates, found with a wrong range. */
function beside(title: string, change: (query: SearchQuery) => Partial<SearchQuery>): BrokenBackend {
  return answered(title, async (found, query, right) => {
    if (!query.around) return found
    const [plain] = await right.search([{ ...query, around: 0 }])
    const [wider] = await right.search([{ ...query, ...change(query) }])
    const known = new Set(plain!.candidates.map(({ memory }) => memory.id))
    const places = plain!.candidates.flatMap(({ memory }) => memory.thread ?? [])
    const near = wider!.candidates.filter(
      ({ memory: { id, thread } }) =>
        !known.has(id) &&
        places.some((at) => at.id === thread?.id && Math.abs(at.index - thread.index) <= query.around!),
    )
    return { ...found, candidates: [...plain!.candidates, ...near] }
  })
}

const THREADS: BrokenBackend[] = [
  around('nothing is found around a place of a thread', () => 0),
  around('something is found around a place that nobody asked for', (places) => Math.max(1, places)),
  around('a stretch around a place is one short', (places) => Math.max(0, places - 1)),
  around('a stretch around a place is one long', (places) => (places === 0 ? 0 : places + 1)),
  answered('only what comes before is found around a place', async (found, query, right) => {
    const [plain] = await right.search([{ ...query, around: 0 }])
    const known = new Set(plain!.candidates.map(({ memory }) => memory.id))
    const last = Math.max(...plain!.candidates.map(({ memory }) => memory.thread?.index ?? 0))
    const candidates = found.candidates.filter(
      ({ memory: { id, thread } }) => known.has(id) || (thread?.index ?? 0) <= last,
    )
    return { ...found, candidates }
  }),
  beside('another scope is read around a place', () => ({ scopes: null })),
  beside('conditions do not hold around a place', () => ({ where: {} })),
  answered('what stands around has no vector', async (found, query, right) => {
    const [plain] = await right.search([{ ...query, around: 0 }])
    const known = new Set(plain!.candidates.map(({ memory }) => memory.id))
    const candidates = found.candidates.map((each) => (known.has(each.memory.id) ? each : { ...each, vector: null }))
    return { ...found, candidates }
  }),
  answered('places of other threads are found around', async (found, query, right) => {
    if (!query.around) return found
    const [plain] = await right.search([{ ...query, around: 0 }])
    const places = plain!.candidates.flatMap(({ memory }) => memory.thread?.index ?? [])
    const all = await right.memories({
      ...{ scopes: query.scopes, where: query.where, order: 'newest', limit: 1000, after: null, count: false },
      vectors: true,
    })
    const known = new Set(found.candidates.map(({ memory }) => memory.id))
    const near = all.items.filter(
      ({ memory: { id, thread } }) =>
        !known.has(id) && thread && places.some((at) => Math.abs(at - thread.index) <= query.around!),
    )
    return { ...found, candidates: [...found.candidates, ...near] }
  }),
]

export const SEARCHING: BrokenBackend[] = [...TOKENS, ...VECTORS, ...THREADS]
