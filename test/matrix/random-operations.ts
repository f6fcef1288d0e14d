import type { Nokosu } from '../../src/engine/nokosu.ts'
import type { Identifiers } from '../../src/model/layer.ts'
import { type ListRequest, MEMORY_ORDERS, type MemoryPatch, type NewMemory } from '../../src/model/schema.ts'
import { ALL, type Random, sample } from '../../src/testing/conformance/samples.ts'

/** Words that sort, fold and split differently by language, and that a store may mangle. */
const WORDS =
  'disk Disk DISK disque zebra Zebra éclair eclair Éclair ıstanbul Istanbul İzmir straße STRASSE ångström ночью диск ёлка 再起動は三分 ガード 한국어 άλφα e\u0301 \u00e9 a_b a%b a\\b \'quoted\' "double" \u{1f680} naïve -0 0x1F 1e3'.split(
    ' ',
  )
const ODD = [
  'nul\u0000inside',
  'lone\ud800high',
  'lone\udc00low',
  'tab\tand\u0007bell',
  '\u202eturned',
  'x'.repeat(16_384),
  'y'.repeat(16_385),
]
const TIMES = [
  ...'2026-03-01T00:00:00.004Z 2026-03-01T01:00:00.004+01:00 2026-02-28T23:59:59.999Z'.split(' '),
  ...'9999-12-31T23:59:59.999Z 2026-02-30T00:00:00Z 0001-01-01T00:00:00.000Z'.split(' '),
]
const PLACES = [
  { layer: 'project', identifiers: { projectId: 'shop' } },
  { layer: 'project', identifiers: { projectId: 'Shop' } },
  { layer: 'agent', identifiers: { agentId: 'miso', projectId: 'shop' } },
  { layer: 'agent', identifiers: { agentId: 'miso' } },
  { layer: 'task', identifiers: { taskId: 't1', sectionId: 's', projectId: 'shop' } },
  { layer: 'user', identifiers: { userId: 'änn' } },
] as const

function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)]!
}

function text(random: Random): string {
  const words = Array.from({ length: 1 + random(6) }, () => pick(random, WORDS))
  return [...words, ...(random(12) === 0 ? [pick(random, ODD)] : [])].join(' ')
}

export function randomMemory(random: Random): NewMemory {
  return sample({
    ...pick(random, PLACES),
    // Sometimes the same words again: equal texts have equal vectors.
    content: random(4) === 0 ? 'The cache of the disk is slow' : text(random),
    category: pick(random, ['timing', 'learning', 'behavior']),
    service: pick(random, [null, 'web', 'Web', 'wéb']),
    tags: ['red', 'Red', 'grün', 'a,b'].filter(() => random(3) === 0),
    metadata: pick<Record<string, unknown>>(random, [
      {},
      { size: random(8), build: { id: random(10) } },
      { size: '4', list: [1, 'two', null, true] },
      { size: 1e21, small: 1e-9, minus: -0 },
      { 'a.b': 1, ключ: 'Ü', nul: random(3) === 0 ? 'a\u0000b' : 'ab' },
    ]) as never,
    importance: random(3) * 25,
    confidence: pick(random, [0.3, 0.7, 0.7000001, 1]),
    ...(random(3) === 0 ? { thread: { id: pick(random, ['talk', 'Talk']), index: random(3) } } : {}),
    ...(random(4) === 0 ? { occurredAt: pick(random, TIMES) } : {}),
    ...(random(5) === 0 ? { expiresAt: pick(random, TIMES) } : {}),
    ...(random(4) === 0 ? { session: `run-${random(3)}` } : {}),
  } as never)
}

export function randomPatch(random: Random): MemoryPatch {
  return pick<MemoryPatch>(random, [
    { content: text(random) },
    { metadata: { size: random(8), [`key${random(3)}`]: null } },
    { active: random(2) === 0 },
    { confidence: random(10) / 10 },
    { tags: ['grün', 'Red'], service: random(2) === 0 ? null : 'db' },
    { expiresAt: random(2) === 0 ? null : pick(random, TIMES) },
    { content: text(random), category: 'timing', version: 1 + random(3) },
  ])
}

export function randomSaying(random: Random) {
  return {
    candidate: { content: `The ${text(random)}`, category: 'timing' as const, service: random(2) === 0 ? 'web' : null },
    target: { identifiers: { projectId: 'shop' }, session: `run-${random(3)}` },
  }
}

export interface AskedQuestion {
  title: string
  ask(engine: Nokosu): Promise<unknown>
}

const READERS: (Identifiers | null)[] = [
  null,
  { projectId: 'shop' },
  { projectId: 'Shop', agentId: 'miso' },
  { userId: 'änn', projectId: 'shop', taskId: 't1', sectionId: 's', agentId: 'miso' },
]
const NARROWINGS: Omit<ListRequest, 'identifiers' | 'everything'>[] = [
  {},
  { includeInactive: true },
  { tags: ['red', 'grün'] },
  { service: null },
  { service: 'Web', includeInactive: true },
  { filter: { size: { gte: 4 } } },
  { filter: { size: '4' } },
  { filter: { nul: 'ab' } },
  { filter: { nul: { contains: 'b' } } },
  { filter: { list: { contains: 'two' } } },
  { text: 'DISK' },
  { text: 'é' },
  { text: 'a_b' },
]
const QUERIES = [
  'disk cache slow',
  'Éclair zebra',
  'straße',
  'ночью диск',
  '再起動',
  'istanbul ångström',
  '\ud800',
  'nothing of it at all',
]

/** All queries on a filled store, with complete results. */
export function QUESTIONS(ids: readonly string[], random: Random): AskedQuestion[] {
  const who = (reader: Identifiers | null) => (reader === null ? ALL : { identifiers: reader })
  const asked: AskedQuestion[] = []
  const add = (title: unknown, ask: AskedQuestion['ask']) => asked.push({ title: JSON.stringify(title), ask })
  for (const reader of READERS) {
    for (const narrow of NARROWINGS) {
      const sort = pick(random, MEMORY_ORDERS)
      const limit = pick(random, [3, 7, 100])
      add({ list: { reader, narrow, sort, limit } }, (engine) =>
        pages((cursor) => engine.list({ ...who(reader), ...narrow, sort, limit, ...cursor } as never)),
      )
      const query = pick(random, QUERIES)
      const mode = pick(random, ['hybrid', 'semantic', 'keyword'])
      const request = { query, mode, threshold: 0, limit: pick(random, [5, 100]), explain: true }
      const { text: _, ...searchable } = narrow as Record<string, unknown>
      add({ search: { reader, searchable, ...request } }, (engine) =>
        engine.search({ ...who(reader), ...searchable, ...request } as never),
      )
    }
    add({ sessions: reader }, (engine) =>
      pages((cursor) => engine.sessions({ ...who(reader), limit: 4, ...cursor } as never)),
    )
    add({ events: reader }, (engine) =>
      pages((cursor) => engine.events({ ...who(reader), limit: 4, ...cursor } as never)),
    )
    add({ tally: reader }, (engine) => engine.tally({ ...who(reader), since: '2026-01-01T00:00:00.000Z' } as never))
    add({ context: reader }, (engine) => engine.context({ ...who(reader), format: 'operational' } as never))
    add({ deleted: reader }, (engine) => engine.deleted({ ...who(reader), limit: 100 } as never))
  }
  for (const id of [...ids, 'none']) {
    add({ history: id }, (engine) => engine.history(id, ALL))
    if (random(3) === 0)
      add({ injections: id }, (engine) =>
        pages((cursor) => engine.injections({ memory: id, ...ALL, limit: 2, ...cursor })),
      )
  }
  add('export', async (engine) => {
    const lines = await Array.fromAsync(engine.export(ALL))
    return lines.map((line) => inOrder(JSON.parse(line))).sort()
  })
  add('stats', async (engine) => ({ ...(await engine.stats()), sizeBytes: null }))
  add('a cursor of nobody', (engine) => engine.list({ ...ALL, cursor: 'bm90aGluZw' }))
  add('ids', (engine) => engine.findIds(ids[0]!.slice(0, 8), { ...ALL, deleted: true }))
  return asked
}

/** All pages of a list. Cursors only count as present or absent. */
async function pages<Page extends { nextCursor: string | null }>(
  read: (cursor: { cursor?: string }) => Promise<Page>,
): Promise<Page[]> {
  const all: Page[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page = await read(cursor === undefined ? {} : { cursor })
    all.push({ ...page, nextCursor: page.nextCursor === null ? null : 'more' })
    cursor = page.nextCursor
  }
  return all
}

/** As JSON with sorted fields. */
function inOrder(record: unknown): string {
  return JSON.stringify(record, (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
