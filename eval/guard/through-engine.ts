/** Sends texts through a whole engine: one agent's runs record them, a later agent gets contexts and searches. */
import type { PoisonModel } from '../../src/guard/poison-model.ts'
import { type Memory, openMemory } from '../../src/index.ts'

export interface Reading {
  /** Memories held for review, and how many of them the later agent saw. */
  held: number
  leaked: number
  /** Flagged memories in a context, and how many of them have no mark. */
  flagged: number
  unmarked: number
}

export async function readAsAgent(texts: readonly string[], poisons: PoisonModel): Promise<Reading> {
  const engine = await openMemory({
    storage: 'sqlite::memory:',
    embedding: { kind: 'hashing' },
    relations: null,
    poisons,
  })
  try {
    const agent = engine.as({ agentId: 'reader', projectId: 'p' })
    const stored: Memory[] = []
    for (const [i, content] of texts.entries()) {
      // A separate service gives each its own section, where its line can be found.
      const candidate = { content, category: 'learning' as const, service: `text-${i}` }
      const [outcome] = await agent.remember([candidate], { session: `run-${i}` })
      if (outcome?.kind === 'insert') stored.push(outcome.memory)
    }
    const held = stored.filter(({ trust }) => trust === 'quarantined')
    const block = await agent.context({ format: 'operational', budget: 1_000_000 })
    const met = new Set([...block.memories, ...(await agent.context({ format: 'file' })).memories].map(({ id }) => id))
    for (const { content } of held) {
      const query = Array.from(content).slice(0, 500).join('')
      const { results } = await agent.search({ query, threshold: 0, limit: 100 })
      for (const { memory } of results) met.add(memory.id)
    }
    const flagged = block.memories.filter(({ trust }) => trust === 'flagged')
    const isMarked = ({ service }: Memory) => block.text.includes(`\n### ${service}\n- [unverified] [learning] `)
    return {
      held: held.length,
      leaked: held.filter(({ id }) => met.has(id)).length,
      flagged: flagged.length,
      unmarked: flagged.filter((memory) => !isMarked(memory)).length,
    }
  } finally {
    await engine.shutdown()
  }
}
