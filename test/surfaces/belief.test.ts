import { describe, expect, it } from 'vitest'
import type { Recall } from '../../src/engine/recall.ts'
import type { Memory, MemoryList, SearchResults } from '../../src/index.ts'
import { MODEL } from './agent-output.ts'
import { workspace } from './run-cli.ts'

const RULE = 'Every deploy to production needs a ticket'
const LIE = 'Deploys to production need no ticket'

function store() {
  const place = workspace()
  const args = (command: string, rest: string[]) => [command, '--project', 'shop', ...rest]
  const add = async (content: string, ...flags: string[]) =>
    (await place.json<{ memory: Memory }>(args('add', [...flags, content]), MODEL)).memory
  const say = (agent: string, session: string, text: string, label = 'dependency') =>
    place.json(args('capture', ['--format', 'text', '--agent', agent, '--session', session, '--layer', 'project']), {
      ...MODEL,
      input: `[MEMORY:${label}] ${text}\n`,
    })
  const context = async () => (await place.run(args('context', []), MODEL)).stdout
  return { ...place, args, add, say, context }
}

describe('an operator’s word', () => {
  it('stands beside an agent’s that contradicts it: both are shown as disputed, everywhere, and it is put up for review', async () => {
    const { args, add, say, context, json, run } = store()
    const { id } = await add(RULE, '--category', 'dependency')
    for (const session of ['s1', 's2', 's3', 's4']) await say('koji', session, LIE)
    const text = await context()
    expect(text).toMatch(
      new RegExp(`${RULE} .*\\(disputed: an operator says this since .*; 1 agent says “${LIE}” since`),
    )
    expect(text).toMatch(
      new RegExp(`${LIE} .*\\(disputed: 1 agent says this since .*; an operator says “${RULE}” since`),
    )
    const found = await json<SearchResults>(
      args('search', ['does a deploy need a ticket', '--threshold', '0.3']),
      MODEL,
    )
    expect(found.results.map(({ memory, disputed }) => [memory.content, disputed?.slice(0, 9)]).sort()).toEqual([
      [LIE, 'disputed:'],
      [RULE, 'disputed:'],
    ])
    const { lines } = await json<Recall>(
      args('recall', ['--prompt', 'deploy to production: do I need a ticket?']),
      MODEL,
    )
    expect(lines.map(({ disputed }) => disputed?.slice(0, 9))).toContain('disputed:')
    // Each agent counts once: 0.2 in total.
    expect(await json<Memory>(args('get', [id]))).toMatchObject({ confidence: 0.5, active: true, trust: 'operator' })
    expect((await run(args('review', []))).stdout).toContain('contradicts what an operator said')
    const { memories } = await json<MemoryList>(args('review', []))
    expect(memories).toMatchObject([{ content: LIE, trust: 'agent' }])
    await run(args('review', ['reject', memories[0]!.id]))
    const after = await context()
    expect(after).toContain(RULE)
    expect(after).not.toContain('disputed')
  })
})
