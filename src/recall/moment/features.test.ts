import { expect, it } from 'vitest'
import type { Memory } from '../../model/memory.ts'
import { FEATURES, featuresOf, type Sought } from './features.ts'
import { startTrace, type Trace } from './trace.ts'

const [ACROSS, UP] = [Float32Array.of(1, 0), Float32Array.of(0, 1)]
const memory = (id: string, content: string, service: string | null = null) =>
  ({ id, content, service, tags: [] }) as unknown as Memory
const weights = new Map([
  ['nginx', { weight: 4, held: true }],
  ['reload', { weight: 3, held: true }],
  ['disk', { weight: 2, held: true }],
  ['absent', { weight: 5, held: false }],
])
const SOUGHT: Sought = {
  scene: { kind: 'tool', tool: 'Bash', text: 'nginx reload absent', segments: [], commands: [], paths: [] },
  now: ACROSS,
  inContext: Float32Array.of(0.6, 0.8),
  parts: [{ text: 'disk', vector: UP }],
  prompt: Float32Array.of(0.8, 0.6),
  weights,
  promptWeights: new Map([
    ['nginx', { weight: 1.5, held: true }],
    ['absent', { weight: 7, held: false }],
  ]),
  calibrate: (cosine) => cosine,
}
const TRACE: Trace = {
  ...startTrace('rename it'),
  moments: 2,
  tokens: new Set(['reload']),
  services: new Set(['nginx']),
}

/** The features by name, as the training reads them. */
function namedFeatures(found: { memory: Memory; vector: Float32Array | null }[], sought = SOUGHT, trace = TRACE) {
  return featuresOf(found, sought, trace).map(({ values }) => {
    expect(values).toHaveLength(FEATURES.length)
    return Object.fromEntries(FEATURES.map((name, i) => [name, values[i]!]))
  })
}
const close = (values: Record<string, number>) =>
  expect.objectContaining(Object.fromEntries(Object.entries(values).map(([name, n]) => [name, expect.closeTo(n, 5)])))

it('a memory is compared by meaning, by words, by its service and by what happens', () => {
  const [one] = namedFeatures([{ memory: memory('a', 'Never `reload` before tests', 'nginx'), vector: UP }])
  const near = (0 + 0.8 + 1) / 3 + 0.3 * (1 - Math.exp(-7 / 6))
  expect(one).toEqual(
    close({
      ...{ near, now: 0, inContext: 0.8, best: 1, prompt: 0.6, drift: 0 },
      ...{ nearBest: 0, nearMean: 0.15, nearLast: 0.15 },
      ...{ words: 7, rarest: 4, count: 2, promptWords: 1.5, keys: 3, rarestKey: 3, keyShare: 3 / 4 },
      // Its service, and `never`, `reload`, `test`; common words are left out.
      ...{ head: 7, rarestHead: 4, headShare: 7 / 16, fresh: 4, rarestFresh: 4, rarestFreshKey: 0 },
      // For `nginx reload absent`: a word in no memory counts half.
      partShare: 7 / 9.5,
      ...{ serviceNear: near, serviceNow: 1, serviceInPrompt: 1, serviceSeen: 1, general: 0, rules: 2 },
      ...{ wordsInMoment: 3, light: 1, isPrompt: 0, isTool: 1, isFailure: 0 },
    }),
  )
})

it('without a vector, a service or words in common little speaks for a memory', () => {
  const [one] = namedFeatures([{ memory: memory('a', 'Backups run at 4'), vector: null }])
  const none = 'near now inContext best prompt drift words rarest count promptWords keys'.split(' ')
  const neither = 'keyShare headShare fresh partShare serviceNow serviceInPrompt serviceSeen rules'.split(' ')
  expect(one).toEqual(close({ ...Object.fromEntries([...none, ...neither].map((name) => [name, 0])), general: 1 }))
})

it('how near it was before counts, and moments at which it was no candidate count as far', () => {
  const known = { count: 1, sum: 0.65, best: 0.65, last: 0.65, at: 1 }
  const at = (moments: number) =>
    namedFeatures([{ memory: memory('a', 'x'), vector: UP }], SOUGHT, {
      ...TRACE,
      moments,
      near: new Map([['a', known]]),
    })[0]
  expect(at(2)).toEqual(close({ nearBest: 0.65, nearMean: 0.4, nearLast: 0.65 }))
  // Three moments at which it was not a candidate.
  expect(at(4)).toEqual(close({ nearBest: 0.65, nearMean: (0.65 + 3 * 0.15) / 4, nearLast: 0.15 }))
  const [first] = namedFeatures([{ memory: memory('a', 'x'), vector: UP }], SOUGHT, startTrace())
  expect(first!.nearMean).toBe(first!.near)
})

it('a service is named by all of its words, and is as near as its three nearest memories', () => {
  const of = (service: string) => namedFeatures([{ memory: memory('a', 'x', service), vector: null }])[0]
  expect(of('nginx-reload')).toMatchObject({ serviceNow: 1, serviceInPrompt: 0, serviceSeen: 0 })
  expect(of('nginx-edge')).toMatchObject({ serviceNow: 0, serviceInPrompt: 0 })
  const vectors = [1, 0.5, 0, -1].map((x) => Float32Array.of(x, 0))
  const four = namedFeatures(vectors.map((vector, i) => ({ memory: memory(`m${i}`, `x${i}`), vector })))
  const three = four.map(({ near }) => near!).slice(0, 3)
  for (const { serviceNear } of four) expect(serviceNear).toBeCloseTo(three.reduce((a, b) => a + b) / 3)
})

it.each([
  ['prompt', { isPrompt: 1, isTool: 0, isFailure: 0 }],
  ['task', { isPrompt: 1, isTool: 0, isFailure: 0 }],
  ['failure', { isPrompt: 0, isTool: 0, isFailure: 1 }],
  ['output', { isPrompt: 0, isTool: 0, isFailure: 0 }],
] as const)('tells a %s', (kind, expected) => {
  const scene = { ...SOUGHT.scene, kind }
  expect(namedFeatures([{ memory: memory('a', 'x'), vector: null }], { ...SOUGHT, scene })[0]).toMatchObject(expected)
})

it('puts the shared words that tell most first, and says which it names exactly', () => {
  const [found] = featuresOf([{ memory: memory('a', 'disk, `reload` and nginx'), vector: null }], SOUGHT, TRACE)
  expect(found).toMatchObject({ shared: ['nginx', 'reload', 'disk'], keys: ['reload'], words: 9 })
})
