import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareRelater, type Relation } from './relate.ts'
import { localRelationModel } from './relation-model.ts'

const model = localRelationModel()
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nokosu-relate-'))
})
afterAll(async () => {
  await model.close()
  await rm(folder, { recursive: true, force: true })
})

async function relate(a: string, b: string): Promise<Relation> {
  const [one, two] = [
    { text: a, vector: null },
    { text: b, vector: null },
  ]
  return (await prepareRelater([{ a: one, b: two }], { model })).relate(one, two).relation
}

describe('the relation model', () => {
  test.each([
    ['Takes 60s to start after restart', 'Takes about 60 seconds to start after a restart', 'same'],
    ['Must be started after WireGuard', 'Can be started independently of WireGuard', 'contradicts'],
    [
      'Must be started after WireGuard -- fails with no route to host otherwise',
      'Can be started independently of WireGuard',
      'contradicts',
    ],
    ['Returns HTTP 302 redirect when healthy, not 200', 'Returns HTTP 200 when healthy', 'contradicts'],
    ['The leak was fixed in 3.2', 'The leak is still present in 3.2', 'contradicts'],
    ['Prefer short commit messages', 'Prefer detailed commit messages', 'contradicts'],
  ])('%s / %s: %s', async (a, b, expected) => {
    expect(await relate(a, b)).toBe(expected)
    expect(await relate(b, a)).toBe(expected)
  })

  test('on the pairs of eval/relations/floor.jsonl', async () => {
    const path = join(import.meta.dirname, '..', '..', '..', 'eval', 'relations', 'floor.jsonl')
    const lines = (await readFile(path, 'utf8')).trim().split('\n')
    const rows: { a: string; b: string; label: 'same' | 'contradiction' | 'neutral' }[] = lines.map((line) =>
      JSON.parse(line),
    )
    const pairs = rows.map(({ a, b }) => ({ a: { text: a, vector: null }, b: { text: b, vector: null } }))
    const relater = await prepareRelater(pairs, { model })
    const LABELS = { same: 'same', contradiction: 'contradicts', neutral: 'other' } as const
    const verdicts = rows.map(({ label }, i) => ({
      truth: LABELS[label],
      called: relater.relate(pairs[i]!.a, pairs[i]!.b).relation,
    }))
    const share = (some: typeof verdicts) => some.filter(({ truth, called }) => truth === called).length / some.length
    const called = (relation: Relation) => verdicts.filter((each) => each.called === relation)
    expect(share(verdicts)).toBeGreaterThanOrEqual(0.88)
    expect(share(called('contradicts'))).toBeGreaterThanOrEqual(0.85)
    expect(share(called('same'))).toBeGreaterThanOrEqual(0.9)
    expect(verdicts.filter(({ truth, called }) => truth === 'other' && called === 'contradicts').length).toBeLessThan(2)
  })

  test('both orders give the very same answer, and one already given is kept', async () => {
    const [a, b] = ['Retries stop after five attempts', 'It never gives up']
    const [first] = await model.ask([[a, b]])
    expect(await model.ask([[b, a]])).toEqual([first])
    const [again] = await model.ask([
      [b, a],
      ['one', 'two'],
    ])
    expect(again).toBe(first)
  })

  test('answers come in the order of the pairs, and a pair that is too long has none', async () => {
    const long = 'The worker waits for the lock. '.repeat(50)
    const [one, two, three] = await model.ask([
      ['The cache is on', 'The cache is off'],
      [long, 'The worker does not wait'],
      ['The cache is on', 'Caching is switched on'],
    ])
    expect(one!.contradicts).toBeGreaterThan(0.5)
    expect(two).toBeNull()
    expect(three!.same).toBeGreaterThan(0.5)
    expect(one!.same + one!.contradicts + one!.other).toBeCloseTo(1, 5)
  })

  test('close() waits for the calls under way, and a later call loads again', async () => {
    const own = localRelationModel()
    const asked = own.ask([['Swap is on', 'Swap is off']])
    await own.close()
    expect((await asked)[0]!.contradicts).toBeGreaterThan(0.5)
    expect(await own.ask([['Debug is on', 'Debug is off']])).toHaveLength(1)
    await own.close()
  })

  test('engines beside each other share one copy, which is freed when the last of them closes', async () => {
    const modelPath = join(folder, 'shared')
    await cp(join(import.meta.dirname, '../../../models/relate'), modelPath, { recursive: true })
    const [one, two] = [localRelationModel({ modelPath }), localRelationModel({ modelPath })]
    await one.warm()
    await rm(modelPath, { recursive: true })
    // Nothing can be loaded any more, so this is the copy of the first engine.
    await two.warm()
    await one.close()
    expect((await two.ask([['Swap is on', 'Swap is off']]))[0]!.contradicts).toBeGreaterThan(0.5)
    await two.close()
    await expect(two.warm()).rejects.toMatchObject({ code: 'MISSING_DEPENDENCY' })
  })
})
