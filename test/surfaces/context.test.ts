import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prepareStore } from '../../src/config/prepare-store.ts'
import type { Context } from '../../src/engine/context.ts'
import { type Nokosu, type OwnMemory, openMemory } from '../../src/index.ts'
import { query } from './agent-output.ts'
import { workspace } from './run-cli.ts'

/** A workspace with these memories, one added each second of the last hour. */
async function filled(memories: Partial<OwnMemory>[]) {
  const place = workspace()
  prepareStore(place.store)
  let second = 0
  const start = Date.now() - 3_600_000
  const now = () => new Date(start + 1000 * second++)
  const engine: Nokosu = await openMemory({ storage: place.store, embedding: { kind: 'hashing' }, now })
  try {
    for (const memory of memories) {
      const { identifiers = { projectId: 'home' }, ...fields } = memory
      await engine.as(identifiers).add({ content: 'x', layer: 'project', category: 'timing', exact: true, ...fields })
    }
  } finally {
    await engine.shutdown()
  }
  return place
}

const CONTEXT = ['context', '--project', 'home']
const many = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => ({
    content: `Observation ${at} `.padEnd(length, 'of something that matters '),
    service: `service-${at % 5}`,
    confidence: (100 - at) / 100,
  }))

describe('the operational block', () => {
  it('[E12] without memories there is no section: not without a store, not in an empty one, not of the inactive', async () => {
    const { run, json } = workspace()
    expect(await run(CONTEXT)).toEqual({ code: 0, stdout: '', stderr: '' })
    const { memory } = await json<{ memory: { id: string } }>('add --project home --category timing Slow'.split(' '))
    await json(['update', '--all', memory.id, '--inactive'])
    expect(await run(CONTEXT)).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('[E15] the budget comes from the environment, by either name, from the configuration, and from the flag', async () => {
    const { run, folder, failure } = await filled(many(50, 370))
    const shown = async (env: Record<string, string>, ...flags: string[]) => {
      const { stdout } = await run([...CONTEXT, ...flags], { env })
      expect(stdout.length / 4).toBeGreaterThan(0)
      return Math.ceil((stdout.length - 1) / 4)
    }
    const within = (tokens: number, budget: number) => expect(tokens > budget - 110 && tokens <= budget).toBe(true)
    const [none, theirs, ours, both, flag] = await Promise.all([
      shown({}),
      shown({ CLAUDEOPS_MEMORY_BUDGET: '4000' }),
      shown({ NOKOSU_MEMORY_BUDGET: '1000' }),
      shown({ NOKOSU_MEMORY_BUDGET: '1000', CLAUDEOPS_MEMORY_BUDGET: '4000' }),
      shown({ NOKOSU_MEMORY_BUDGET: '1000' }, '--budget', '500'),
    ])
    within(none, 2000)
    within(theirs, 4000)
    within(ours, 1000)
    within(both, 1000)
    within(flag, 500)
    writeFileSync(join(folder, 'nokosu.config.json'), '{"budget": 3000}')
    within(await shown({}), 3000)
    within(await shown({ CLAUDEOPS_MEMORY_BUDGET: '4000' }), 4000)
    const wrong = ['lots', '-5', '0'].map((text) => failure(CONTEXT, { env: { CLAUDEOPS_MEMORY_BUDGET: text } }))
    for (const error of await Promise.all(wrong)) {
      const message = expect.stringContaining('CLAUDEOPS_MEMORY_BUDGET')
      expect(error).toMatchObject({ code: 'CONFIGURATION_ERROR', message })
    }
  })

  it('shows a project only its own', async () => {
    const { run } = await filled([{ content: 'Here' }, { content: 'There', identifiers: { projectId: 'shop' } }])
    expect((await run(CONTEXT)).stdout.match(/^- .*$/gm)).toEqual(['- [timing] Here (confidence: 0.7)'])
  })
})

describe('the memory file', () => {
  const FILE = ['context', '--format', 'file', '--agent', 'miso', '--project', 'shop']

  it('holds nothing of another project or agent, and is empty where there is nothing', async () => {
    const { run } = await filled([
      { content: 'Another project', layer: 'agent', identifiers: { agentId: 'miso', projectId: 'lab' } },
      { content: 'Another agent', layer: 'agent', identifiers: { agentId: 'nori', projectId: 'shop' } },
    ])
    expect((await run(FILE)).stdout).toBe('')
  })
})

describe('looking and showing', () => {
  const FACTS = [{ content: 'Takes 60s to start', service: 'jellyfin' }, { content: 'Restart with care' }]
  const counters = 'SELECT observation, recall_count, last_recalled_at, version FROM memories ORDER BY id'
  const ledger = `SELECT s.key, m.observation, i.position, i.tokens, i.format, i.at FROM injections i
    JOIN sessions s ON s.id = i.session_id JOIN memories m ON m.ulid = i.memory ORDER BY i.id`

  it('without --shown-to nothing moves', async () => {
    const { run, folder } = await filled(FACTS)
    const before = query(folder, counters)
    for (const format of ['operational', 'workflow']) await run([...CONTEXT, '--format', format])
    await run([...CONTEXT, '--format', 'query', '--query', 'how long does it take to start', '--threshold', '0'])
    expect(query(folder, counters)).toEqual(before)
    expect(query(folder, ledger)).toEqual([])
    expect(query(folder, 'SELECT * FROM sessions')).toEqual([])
  })

  it('[C16] with it the ledger and the counters move together, once a showing', async () => {
    const { run, json, folder } = await filled(FACTS)
    const looked = await run(CONTEXT)
    const { included } = await json<Context>([...CONTEXT, '--shown-to', 'run-1'])
    const shown = query<{ at: string }>(folder, ledger)
    const { at } = shown[0]!
    expect(shown).toEqual([
      {
        key: 'run-1',
        observation: 'Takes 60s to start',
        position: 0,
        tokens: included[0]!.tokens,
        format: 'operational',
        at,
      },
      {
        key: 'run-1',
        observation: 'Restart with care',
        position: 1,
        tokens: included[1]!.tokens,
        format: 'operational',
        at,
      },
    ])
    expect(query(folder, counters)).toEqual([
      { observation: 'Takes 60s to start', recall_count: 1, last_recalled_at: at, version: 1 },
      { observation: 'Restart with care', recall_count: 1, last_recalled_at: at, version: 1 },
    ])
    expect(new Date(at).toISOString()).toBe(at)
    expect((await run([...CONTEXT, '--shown-to', 'run-2'])).stdout).toBe(looked.stdout)
    expect(query(folder, 'SELECT recall_count FROM memories')).toEqual([{ recall_count: 2 }, { recall_count: 2 }])
    expect(query(folder, 'SELECT key, project FROM sessions ORDER BY id')).toEqual([
      { key: 'run-1', project: 'home' },
      { key: 'run-2', project: 'home' },
    ])
  })

  it('only what fitted counts as shown', async () => {
    const { run, folder } = await filled(many(10, 370))
    await run([...CONTEXT, '--budget', '400', '--shown-to', 'run-1'])
    const recalled = query(folder, 'SELECT observation FROM memories WHERE recall_count = 1')
    expect(recalled).toHaveLength(3)
    expect(query(folder, 'SELECT * FROM injections')).toHaveLength(3)
  })
})

describe('the same memories', () => {
  it('give the same bytes from two stores, whatever order they came in', async () => {
    const agent = { layer: 'agent' as const, identifiers: { agentId: 'miso', projectId: 'home' } }
    const first = await filled([
      ...many(40, 200).map((memory) => ({ ...memory, confidence: 0.7 })),
      ...Array.from({ length: 12 }, (_, at) => ({ content: `Rejected: reason ${at}`, category: 'rejection' as const })),
      ...Array.from({ length: 6 }, (_, at) => ({ ...agent, content: `Learned ${at}`, category: 'learning' as const })),
    ])
    const second = workspace()
    const [header, ...rest] = (await first.run(['export', '--all', '-'])).stdout.trimEnd().split('\n')
    const memories = rest.filter((line) => line.includes('"type":"memory"')).toReversed()
    const others = rest.filter((line) => !line.includes('"type":"memory"'))
    const input = `${[header, ...memories, ...others].join('\n')}\n`
    expect((await second.run(['import', '-', '--keep-trust'], { input })).code).toBe(0)
    const scope = ['--project', 'home', '--agent', 'miso']
    for (const flags of [
      ['--format', 'operational'],
      ['--format', 'workflow'],
      ['--format', 'file'],
      ['--format', 'query', '--query', 'Observation of something that matters', '--threshold', '0.1'],
    ]) {
      const [one, two] = await Promise.all([first, second].map(({ run }) => run(['context', ...scope, ...flags])))
      expect(one!.stdout.length).toBeGreaterThan(100)
      expect(two!.stdout).toBe(one!.stdout)
    }
  })
})
