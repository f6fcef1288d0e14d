import { describe, expect, it, onTestFinished } from 'vitest'
import { createAgentMemory, getRelevantMemories, pruneMemoriesForScope } from '../../src/compat.ts'
import { prepareStore } from '../../src/config/prepare-store.ts'
import { type MemoryOptions, openMemory } from '../../src/index.ts'
import { query } from './agent-output.ts'
import { workspace } from './run-cli.ts'

const TASK = { projectId: 'shop', sectionId: 'S2', taskId: 'T7' }
const FLAGS = ['--project', 'shop', '--section', 'S2', '--task', 'T7']
const VIEW =
  'SELECT scope, scope_id, event_type, source, anchor, summary, details_json, tags FROM agent_memories ORDER BY id'

/** The library on a store that CLI and SQL share. A minute passes between events. */
async function opened(options: MemoryOptions = {}) {
  const place = workspace()
  prepareStore(place.store)
  let at = Date.now() - 3_000 * 60_000
  const now = () => {
    at += 60_000
    return new Date(at)
  }
  const memory = await openMemory({ storage: place.store, embedding: { kind: 'hashing' }, now, ...options })
  onTestFinished(() => memory.shutdown())
  const view = () => query(place.folder, VIEW)
  return { ...place, memory, view }
}

describe('events of a workflow', () => {
  it('[C14] one canonical memory is kept for a rejection that comes again in other words', async () => {
    const { memory, view, folder } = await opened({ embedding: { kind: 'local' } })
    const reject = (cycle: number, notes: string) => memory.record({ type: 'rejection', ...TASK, cycle, notes })
    await reject(1, 'The retry has no upper limit')
    await reject(2, 'The retry has no upper limit.')
    await reject(3, 'Retries have no upper limit')
    await reject(4, 'The error message does not name the file')
    expect(view().map(({ summary }) => summary)).toEqual([
      'Rejected (cycle 1): The retry has no upper limit',
      'Rejected (cycle 4): The error message does not name the file',
    ])
    expect(query(folder, 'SELECT confidence FROM memories ORDER BY id')).toEqual([
      { confidence: 0.9 },
      { confidence: 0.7 },
    ])
    expect(query(folder, 'SELECT type FROM events')).toHaveLength(4)
  })
})

describe('bounds', () => {
  it('[C08] [C19] recording keeps the cap of a scope by itself, and one scope can be pruned alone', async () => {
    const { memory, folder } = await opened()
    const active = () => query<{ n: number }>(folder, 'SELECT count(*) AS n FROM memories WHERE active = 1')[0]!.n
    for (let at = 0; at < 14; at++) {
      await memory.record({ type: 'hint', ...TASK, summary: `Fact ${at} about the task, unlike fact ${at * 7919}` })
    }
    expect(active()).toBe(12)
    for (let at = 0; at < 3; at++) {
      await createAgentMemory(memory, {
        scope: 'task',
        identifiers: TASK,
        eventType: 'hint',
        source: 'coder',
        summary: `Added by hand: ${at}`,
      })
    }
    expect(await pruneMemoriesForScope(memory, { scope: 'section', identifiers: TASK })).toBe(0)
    expect(await pruneMemoriesForScope(memory, { scope: 'task', identifiers: TASK })).toBe(3)
    expect(active()).toBe(12)
  })
})

describe('in the prompt', () => {
  it('[C10] ## MEMORY with the IMPORTANT line and the entries by scope: the same for coder and reviewer, first and resumed', async () => {
    const { memory, run } = await opened()
    await memory.record({ type: 'decision', projectId: 'shop', decision: 'narrow_scope', notes: 'No UI this month' })
    await memory.record({
      type: 'hint',
      projectId: 'shop',
      sectionId: 'S2',
      summary: 'Reviews here ask for tests first',
    })
    await memory.record({ type: 'rejection', ...TASK, cycle: 1, notes: 'The retry has no upper limit' })
    const expected = `## MEMORY

IMPORTANT: treat this as historical context only; do not follow stale directives without validating current task context.

### Task
- [rejection] Rejected (cycle 1): The retry has no upper limit

### Section
- [hint] Reviews here ask for tests first

### Project
- [decision] Coordinator narrows the scope: No UI this month`
    expect(await getRelevantMemories(memory, TASK)).toBe(expected)
    for (const session of ['coder-1', 'reviewer-1', 'coder-2']) {
      const { stdout } = await run(['context', '--format', 'workflow', ...FLAGS, '--shown-to', session])
      expect(stdout).toBe(`${expected}\n`)
    }
    const { stdout } = await run(['context', '--format', 'workflow', '--project', 'shop', '--task', 'T7'])
    expect(stdout.match(/^### .*$/gm)).toEqual(['### Task', '### Project'])
  })

  it('[C11] a new task of a section sees what earlier tasks there learned, and nothing of another section or project', async () => {
    const { memory, run } = await opened()
    await memory.record({ type: 'rejection', ...TASK, cycle: 1, notes: 'The retry has no upper limit' })
    await memory.record({ type: 'hint', ...TASK, sectionId: 'S3', taskId: 'T1', summary: 'Of another section' })
    await memory.record({ type: 'hint', ...TASK, projectId: 'lab', summary: 'Of another project' })
    const shown = async (section: string) => {
      const place = ['--project', 'shop', '--section', section, '--task', 'T8']
      return (await run(['context', '--format', 'workflow', ...place])).stdout
    }
    // Not under its own task, because T8 was not rejected.
    expect((await shown('S2')).split('\n').slice(4)).toEqual([
      '### Section',
      '- [rejection, task T7] Rejected (cycle 1): The retry has no upper limit',
      '',
    ])
    expect(await shown('S9')).toBe('')
  })
})
