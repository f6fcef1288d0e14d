import { describe, expect, it } from 'vitest'
import type { Memory } from '../../model/memory.ts'
import { choose, POLICIES } from './choose.ts'
import { formatOf } from './format.ts'
import { memoryWords } from './memory-words.ts'
import { chooseParts } from './parts.ts'
import { readScene, type Scene } from './scene.ts'
import { sceneTokens, weighTokens } from './terms.ts'
import { addNearness, addToDrift, isAsking, startTrace } from './trace.ts'

const scene = (fields: Partial<Scene>): Scene => ({
  kind: 'prompt',
  tool: null,
  text: '',
  segments: [],
  commands: [],
  paths: [],
  ...fields,
})

describe('what is chosen', () => {
  const item = (id: string, score: number) => ({ memory: { id } as Memory, score })
  const none = { ids: new Set<string>(), lines: 0 }
  const ids = (items: readonly { memory: Memory }[]) => items.map(({ memory }) => memory.id)

  it('reaches the line, which rises with every line shown', () => {
    const policy = { from: 0.5, rise: 0.25, lines: 9 }
    const { chosen, left } = choose([item('a', 0.5), item('b', 0.75), item('c', 0.6)], policy, none)
    expect(ids(chosen)).toEqual(['b'])
    expect(left.map(({ reason }) => reason)).toEqual(['scores 0.60, below 0.75', 'scores 0.50, below 0.75'])
    expect(ids(choose([item('a', 0.5)], policy, none).chosen)).toEqual(['a'])
    expect(ids(choose([item('a', 0.99), item('b', 1)], policy, { ...none, lines: 2 }).chosen)).toEqual(['b'])
  })
  it('is the best, of equals the greater id, as many as there is room for, and nothing twice', () => {
    const policy = { from: 0.5, rise: 0, lines: 2 }
    const items = [item('a', 0.9), item('b', 0.9), item('c', 0.9), item('d', 1)]
    const { chosen, left } = choose(items, policy, { ids: new Set(['d']), lines: 0 })
    expect(ids(chosen)).toEqual(['c', 'b'])
    expect(left.map(({ item, reason }) => [item.memory.id, reason])).toEqual([
      ['d', 'already shown to this session'],
      ['a', 'there is room for 2 lines at this moment'],
    ])
  })
  it('has room for one more before an action that a line guards by name, and never for more than was asked for', () => {
    const items = ['a', 'b', 'c', 'd'].map((id) => item(id, 0.9))
    expect(ids(choose(items, POLICIES.tool, none).chosen)).toEqual(['d', 'c'])
    const guard = { ...item('g', 1), guards: 'terraform apply' }
    expect(ids(choose([...items, guard], POLICIES.tool, none).chosen)).toEqual(['g', 'd', 'c'])
    expect(ids(choose([...items, guard], { ...POLICIES.tool, withGuard: 0 }, none).chosen)).toEqual(['g', 'd'])
  })
  it('is more where somebody says what is to be done', () => {
    expect(Object.entries(POLICIES).map(([kind, { lines }]) => [kind, lines])).toEqual([
      ['prompt', 5],
      ['task', 5],
      ['tool', 2],
      ['failure', 2],
      ['output', 2],
    ])
  })
})

describe('the name of a moment', () => {
  const ran = (command: string) => formatOf(readScene({ kind: 'tool', name: 'Bash', input: { command } }))
  it.each([
    ['cd /srv && terraform apply -auto-approve', 'terraform apply'],
    ['/usr/bin/git push', 'git push'],
    ['make -j4', 'make'],
    ['git add . && git push', 'git add'],
    ['echo done', 'echo done'],
    ['. env.sh; export A=1; pushd x; set -e; source y; true; ls', 'ls'],
    [`run ${'a'.repeat(20)}`, `run ${'a'.repeat(20)}`],
    [`run ${'a'.repeat(21)}`, 'run'],
    ['npm run:all', 'npm run:all'],
    [`${'p'.repeat(50)} x`, 'p'.repeat(40)],
  ])('%s: %s', (command, name) => expect(ran(command)).toBe(`moment:tool ${name}`))

  it('is the file of a tool, else the tool, else nothing', () => {
    expect(formatOf(readScene({ kind: 'tool', name: 'Edit', input: { path: '/src/a.ts/' } }))).toBe(
      'moment:tool Edit a.ts',
    )
    expect(formatOf(scene({ kind: 'output', paths: ['src/a.ts'] }))).toBe('moment:output a.ts')
    expect(formatOf(readScene({ kind: 'tool', name: 'WebSearch' }))).toBe('moment:tool WebSearch')
    expect(formatOf(scene({}))).toBe('moment:prompt')
  })
})

describe('the words of a moment', () => {
  it('are those that tell, each once, those within names too, the first and the last 32 at most', () => {
    expect(sceneTokens(scene({ text: 'the userName is x' }))).toEqual(['usernam', 'user', 'name'])
    expect(sceneTokens(scene({ text: 'HTTPServer' }))).toEqual(['httpserver', 'http', 'server'])
    const ran = scene({ text: 'red', commands: [{ text: 'blue', words: [] }], paths: ['green'] })
    expect(sceneTokens(ran)).toEqual(['red', 'blue', 'green'])
    const many = Array.from({ length: 70 }, (_, i) => `w${i}x`)
    expect(sceneTokens(scene({ text: many.join(' ') }))).toEqual([...many.slice(0, 32), ...many.slice(-32)])
  })
  it('weigh 5 where one memory holds them, less the more do, and never nothing', () => {
    const weights = weighTokens(['none', 'one', 'two', 'all', 'unknown'], [0, 1, 2, 100], 100)
    expect(weights.get('none')).toEqual({ weight: 5, held: false })
    expect(weights.get('one')).toEqual({ weight: 5, held: true })
    expect(weights.get('two')!.weight).toBeCloseTo((5 * Math.log(150 / 2.5)) / Math.log(100))
    expect(weights.get('all')!.weight).toBeCloseTo((5 * Math.log(150 / 100.5)) / Math.log(100))
    expect(weights.get('unknown')).toEqual({ weight: 5, held: false })
    expect(weighTokens(['all'], [200], 100).get('all')!.weight).toBeCloseTo(0.1)
  })
})

describe('the parts of a moment', () => {
  const weight = (value: number, held = true) => ({ weight: value, held })
  const weights = new Map([
    ['red', weight(1)],
    ['blue', weight(2)],
    ['green', weight(3)],
    ['black', weight(9, false)],
  ])
  it('are all where there are three, and the most telling of more, in their order', () => {
    expect(chooseParts(scene({ segments: ['red', 'blue', 'green'] }), weights)).toEqual(['red', 'blue', 'green'])
    const segments = ['red', 'black', 'green', 'blue', 'red red']
    expect(chooseParts(scene({ segments }), weights)).toEqual(['red', 'green', 'blue'])
    expect(chooseParts(scene({ segments: ['red'], text: 'red' }), weights)).toEqual([])
  })
})

describe('what a memory names', () => {
  const words = (content: string, service: string | null = null, tags: string[] = []) =>
    memoryWords({ content, service, tags })
  it.each([
    '`restart`',
    "'restart'",
    '"restart"',
    ...'(restart) restart().now restart_now --restart .restart src/restart restart.ts RESTART'.split(' '),
    ...'reStart re-start restart2 restart::x restart=1 x@restart'.split(' '),
  ])('exactly: %s', (written) => expect(words(`please do ${written}, then`).keys.size).toBeGreaterThan(0))
  it.each(['restart', 'Restart', 'AB', 'restart.', "'a'", '(ab)', '12'])('not exactly: %s', (written) => {
    expect([...words(`please do ${written} then`).keys]).toEqual([])
  })
  it('first are its service and nine words', () => {
    const content = 'one1 two2 three3 four4 five5 six6 seven7 eight8 nine9 ten10'
    const { head, service } = words(content, 'caddy', ['web'])
    expect([...head].some((word) => word.startsWith('nine'))).toBe(true)
    expect([...head].some((word) => word.startsWith('ten'))).toBe(false)
    expect(head.has(service[0]!)).toBe(true)
    expect(words(content).service).toEqual([])
    expect(words(content).all.has(service[0]!)).toBe(false)
  })
  it('as a rule is counted', () => {
    expect(words('Never restart before the backup; it must end first').rules).toBe(4)
    expect(words('It restarts').rules).toBe(0)
  })
})

describe('the trace of a session', () => {
  it('knows a light prompt by its words', () => {
    expect(
      ['Fix the typos', 'how many tests fail', 'Explain this', 'rename x'].every((text) => startTrace(text).light),
    ).toBe(true)
    expect(startTrace('Deploy the api').light).toBe(false)
    expect(startTrace()).toMatchObject({ prompt: '', light: false, moments: 0, drift: null })
  })
  it('lets what came before fade', () => {
    expect([...addToDrift(null, Float32Array.of(1, 2))]).toEqual([1, 2])
    const [one, two] = addToDrift(Float32Array.of(1, 0), Float32Array.of(1, 2))
    expect(one).toBeCloseTo(1.8)
    expect(two).toBe(2)
  })
  it('counts how near a memory was', () => {
    const first = addNearness(undefined, 0.6, 1)
    expect(first).toEqual({ count: 1, sum: 0.6, best: 0.6, last: 0.6, at: 1 })
    expect(addNearness(first, 0.25, 4)).toEqual({ count: 2, sum: 0.85, best: 0.6, last: 0.25, at: 4 })
  })
  it('begins anew where somebody says what is to be done', () => {
    const kinds = ['prompt', 'task', 'tool', 'failure', 'output'] as const
    expect(kinds.filter((kind) => isAsking({ kind }))).toEqual(['prompt', 'task'])
  })
})
