import { expect } from 'vitest'
import { group } from '../../../src/testing/conformance/group.ts'
import { clock, contentsOf, sample } from '../../../src/testing/conformance/samples.ts'
import { fakeEmbedding } from '../../../src/testing/fake-embedder.ts'

const SHOP = { identifiers: { projectId: 'shop' } }

/** Lines of a conversation, in thread order. */
function talk(lines: readonly string[], id = 'talk') {
  return lines.map((content, index) => sample({ content, thread: { id, index } }))
}

export const searchThreadCases = group('engine: search in threads', (it) => {
  it('what was said before and after lends its words; outside a thread nothing is lent', async (store) => {
    const engine = await store.engine({ embedding: fakeEmbedding() })
    const lines = [
      'Which port does the telemetry collector use?',
      'It has been 9411 since the move to the new cluster, I think',
    ]
    await engine.bulkAdd(talk(lines))
    await engine.bulkAdd(
      ['Lunch is served upstairs on Fridays for everybody', ...lines].map((content) =>
        sample({ content, identifiers: { projectId: 'loose' } }),
      ),
    )
    const ask = { query: 'telemetry collector port', mode: 'keyword' as const, threshold: 0 }
    // The answer is listed before the question.
    expect(contentsOf((await engine.search({ ...ask, ...SHOP })).results)).toEqual([lines[1], lines[0]])
    const loose = await engine.search({ ...ask, identifiers: { projectId: 'loose' } })
    expect(contentsOf(loose.results)).toEqual([lines[0]])
  })

  it('a thread of the same name in another scope lends nothing', async (store) => {
    const engine = await store.engine({ embedding: fakeEmbedding() })
    const own = sample({
      content: 'It listens there since the spring of last season',
      thread: { id: 'talk', index: 1 },
    })
    await engine.add(own)
    await engine.add({
      ...sample({ content: 'Where does the telemetry collector listen?', thread: { id: 'talk', index: 0 } }),
      layer: 'company',
      identifiers: { companyId: 'acme' },
    })
    const { results } = await engine.search({
      identifiers: { projectId: 'shop', companyId: 'acme' },
      query: 'telemetry collector',
      threshold: 0,
      mode: 'keyword',
    })
    expect(contentsOf(results)).toEqual(['Where does the telemetry collector listen?'])
  })

  it('a thread that others wrote is not shown to whoever may not read it', async (store) => {
    const engine = await store.engine({ embedding: fakeEmbedding() })
    await engine.add(sample({ content: 'Where does the collector listen?', thread: { id: 'talk', index: 0 } }))
    const lab = { identifiers: { projectId: 'lab' } }
    await engine.add(sample({ content: 'On the port that only we know', thread: { id: 'talk', index: 1 }, ...lab }))
    const { results } = await engine.search({ ...SHOP, query: 'collector', threshold: 0 })
    expect(contentsOf(results)).toEqual(['Where does the collector listen?'])
  })

  it('a name that is everywhere is left out of what a question means, a rare one is not', async (store) => {
    const embedding = fakeEmbedding()
    const engine = await store.engine({ embedding })
    const lines = Array.from({ length: 12 }, (_, i) => sample({ content: `Caroline saw bird number ${i}` }))
    await engine.bulkAdd([...lines, sample({ content: 'Melanie camps by the lake' })])
    await engine.search({ ...SHOP, query: 'Where did Caroline meet Melanie?' })
    expect(embedding.calls.at(-1)).toEqual(['Where did meet Melanie?'])
    await engine.search({ ...SHOP, query: 'Where did Caroline meet Melanie?', mode: 'semantic' })
    expect(embedding.calls.flat()).not.toContain('Where did Caroline meet Melanie?')
  })

  it('a question that names a time prefers what is of that time', async (store) => {
    const engine = await store.engine({ embedding: fakeEmbedding(), now: clock('2026-06-17T12:00:00.000Z').now })
    for (const occurredAt of ['2026-03-02T08:00:00.000Z', '2026-06-10T08:00:00.000Z', '2025-05-20T08:00:00.000Z']) {
      await engine.add(
        sample({ content: `The deploy failed, as noted in file ${occurredAt.length}${occurredAt[6]}`, occurredAt }),
      )
    }
    const first = async (query: string) =>
      (await engine.search({ ...SHOP, query, threshold: 0 })).results[0]!.memory.occurredAt
    expect(await first('Why did the deploy fail last week?')).toBe('2026-06-10T08:00:00.000Z')
    expect(await first('Why did the deploy fail in May?')).toBe('2025-05-20T08:00:00.000Z')
    expect(await first('Why did the deploy fail on 2 March 2026?')).toBe('2026-03-02T08:00:00.000Z')
  })

  it('a thread and a time of its own stay with a memory: shown, changed, exported and imported', async (store) => {
    const engine = await store.engine({ embedding: fakeEmbedding() })
    const thread = { id: 'incident-7', index: 3 }
    const { memory } = await engine.add(sample({ thread, occurredAt: '2026-01-05T10:00:00Z' }))
    expect(await engine.get(memory.id, SHOP)).toMatchObject({ thread, occurredAt: '2026-01-05T10:00:00.000Z' })
    const moved = await engine.update(memory.id, { thread: { id: 'incident-7', index: 4 } }, SHOP)
    expect(moved.memory.thread).toEqual({ id: 'incident-7', index: 4 })
    const lines: string[] = []
    for await (const line of engine.export({ everything: true })) lines.push(line)
    expect(lines.some((line) => line.includes('"thread":{"id":"incident-7","index":4}'))).toBe(true)
  })
})
