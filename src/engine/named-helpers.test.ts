import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { MemoryOptions } from './memory-options.ts'
import {
  buildMemoryContext,
  bumpMemoryRecall,
  createAgentMemory,
  dedupeRecentMemory,
  getMemoriesForTaskContext,
  getRelevantMemories,
} from './named-helpers.ts'
import { openMemory } from './open-memory.ts'

const TASK = { projectId: 'shop', sectionId: 'S2', taskId: 'T7' }
const VIEW =
  'SELECT scope, scope_id, event_type, source, anchor, summary, details_json, tags FROM agent_memories ORDER BY id'

async function opened(options: MemoryOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'nokosu-helpers-'))
  const path = join(folder, 'memory.db')
  const memory = await openMemory({
    storage: `sqlite:${path}`,
    embedding: hashingEmbedding(),
    relations: null,
    ...options,
  })
  onTestFinished(async () => {
    await memory.shutdown()
    await rm(folder, { recursive: true })
  })
  const query = <Row>(sql: string): Row[] => {
    using database = new DatabaseSync(path, { readOnly: true })
    return database.prepare(sql).all() as Row[]
  }
  return { memory, query }
}

describe('the helpers, by their names', () => {
  const HINT = {
    scope: 'task',
    identifiers: TASK,
    eventType: 'hint',
    source: 'coder',
    summary: 'Tests need Node 24',
  } as const

  it('[C19] createAgentMemory, getMemoriesForTaskContext, getRelevantMemories and buildMemoryContext', async () => {
    const { memory, query } = await opened()
    const details = { file: 'package.json' }
    const created = await createAgentMemory(memory, {
      ...HINT,
      details,
      tags: ['node', 'ci'],
      anchor: 'task_id:T7',
      importance: 80,
    })
    expect(query(VIEW)).toEqual([
      {
        scope: 'task',
        scope_id: 'T7',
        event_type: 'hint',
        source: 'coder',
        anchor: 'task_id:T7',
        summary: 'Tests need Node 24',
        details_json: '{"file":"package.json"}',
        tags: 'node,ci',
      },
    ])
    expect((await getMemoriesForTaskContext(memory, TASK)).map(({ id }) => id)).toEqual([created.id])
    expect(await getRelevantMemories(memory, TASK)).toContain('- [hint] Tests need Node 24')
    // Workflow memories are not operational.
    expect(await buildMemoryContext(memory, { identifiers: { projectId: 'shop' } })).toBe('')
    await memory.add({ content: 'Slow', layer: 'project', identifiers: { projectId: 'shop' }, category: 'timing' })
    expect(await buildMemoryContext(memory, { identifiers: { projectId: 'shop' } })).toContain('- [timing] Slow')
  })

  it('[C19] dedupeRecentMemory finds what says the same in the scope, and changes nothing', async () => {
    const { memory, query } = await opened()
    const created = await createAgentMemory(memory, HINT)
    expect(await dedupeRecentMemory(memory, { ...HINT, summary: 'tests need node 24.' })).toMatchObject({
      id: created.id,
    })
    expect(await dedupeRecentMemory(memory, { ...HINT, summary: 'Use pnpm' })).toBeNull()
    expect(await dedupeRecentMemory(memory, { ...HINT, identifiers: { ...TASK, taskId: 'T8' } })).toBeNull()
    expect(query('SELECT version FROM memories')).toEqual([{ version: 1 }])
  })

  it('[C16] [C19] bumpMemoryRecall counts a recall, says when, and by whom', async () => {
    const { memory, query } = await opened()
    const { id } = await createAgentMemory(memory, HINT)
    await bumpMemoryRecall(memory, [id], 'coder-1')
    await bumpMemoryRecall(memory, [id], 'coder-2')
    const [row] = query<{ recall_count: number; last_recalled_at: string }>(
      'SELECT recall_count, last_recalled_at FROM agent_memories',
    )
    const { injections } = await memory.injections({ everything: true, session: 'coder-2' })
    expect(row).toEqual({ recall_count: 2, last_recalled_at: injections[0]!.at })
    expect(injections).toMatchObject([{ memory: id, session: 'coder-2' }])
  })

  it('[C15] [C19] a memory with a time to live is shown until then, and not after', async () => {
    let now = new Date('2026-03-01T00:00:00.000Z')
    const { memory, query } = await opened({ now: () => now })
    await createAgentMemory(memory, { ...HINT, expiresAt: '2026-03-02T00:00:00.000Z' })
    now = new Date('2026-03-01T23:59:59.999Z')
    expect(await getMemoriesForTaskContext(memory, TASK)).toHaveLength(1)
    now = new Date('2026-03-02T00:00:00.000Z')
    expect(await getMemoriesForTaskContext(memory, TASK)).toEqual([])
    expect(await memory.sweep()).toMatchObject({ expired: 1 })
    expect(query('SELECT * FROM memories')).toEqual([])
  })
})
