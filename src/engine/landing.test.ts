import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { CandidateInput } from '../model/candidate.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import type { Nokosu } from './nokosu.ts'
import { openMemory } from './open-memory.ts'
import type { MemorySettings } from './settings.ts'

const NORI = { agentId: 'nori', projectId: 'shop' }
const KOJI = { agentId: 'koji', projectId: 'shop' }
const FACT: CandidateInput = { content: 'Answers 418 when the queue is full', category: 'behavior', service: 'api' }
const LEARNING: CandidateInput = { content: 'Read the migration before the schema', category: 'learning' }

async function open(memory: Partial<MemorySettings> = {}): Promise<Nokosu> {
  const engine = await openMemory({
    storage: referenceStorage(),
    embedding: hashingEmbedding(),
    relations: null,
    memory,
  })
  onTestFinished(() => engine.shutdown())
  return engine
}

async function known(engine: Nokosu, identifiers: typeof NORI) {
  const { memories } = await engine.list({ identifiers })
  return memories.map(({ content, layer }) => `${layer}: ${content}`).sort()
}

it('a fact that an agent found out is the project’s, with its author; what it learned for itself is its own', async () => {
  const engine = await open()
  await engine.remember([FACT, LEARNING], { identifiers: NORI, session: 's1' })
  expect(await known(engine, KOJI)).toEqual([`project: ${FACT.content}`])
  expect(await known(engine, NORI)).toEqual([`agent: ${LEARNING.content}`, `project: ${FACT.content}`])
  const { memories } = await engine.list({ identifiers: KOJI })
  expect(memories).toMatchObject([{ identifiers: NORI, session: 's1' }])
})

it('the setting keeps everything with the agent, and a layer that is named comes before it', async () => {
  const engine = await open({ private: true })
  await engine.remember([FACT], { identifiers: NORI })
  await engine.remember([{ ...FACT, content: 'Needs 3 s to start' }], { identifiers: NORI, layer: 'project' })
  expect(await known(engine, KOJI)).toEqual(['project: Needs 3 s to start'])
})

it('what is added without a layer is the project’s, or the agent’s by the setting', async () => {
  const [shared, closed] = [await open(), await open({ private: true })]
  for (const engine of [shared, closed]) await engine.as(NORI).add(FACT)
  expect([await known(shared, KOJI), await known(closed, KOJI)]).toEqual([[`project: ${FACT.content}`], []])
  expect(await known(closed, NORI)).toEqual([`agent: ${FACT.content}`])
})

it('without an agent everything is the project’s, and without a project the agent’s', async () => {
  const engine = await open()
  await engine.remember([LEARNING], { identifiers: { projectId: 'shop' } })
  await engine.remember([FACT], { identifiers: { agentId: 'nori' } })
  expect(await known(engine, NORI)).toEqual([`agent: ${FACT.content}`, `project: ${LEARNING.content}`])
  expect(await known(engine, KOJI)).toEqual([`project: ${LEARNING.content}`])
})

it('a correction of what the project knows is seen by everybody who knew it', async () => {
  const engine = await open()
  const { memory } = await engine.add({ ...LEARNING, layer: 'project', identifiers: { projectId: 'shop' } } as never)
  await engine.context({ format: 'file', identifiers: NORI, session: 's1' })
  const declares = { relation: 'corrects', text: memory.content, memory: memory.id } as const
  const content = 'Read the schema before the migration'
  await engine.remember([{ ...LEARNING, content, declares }], { identifiers: NORI, session: 's1' })
  expect((await engine.context({ format: 'file', identifiers: KOJI })).text).toContain(content)
})

it('who may change only its own memories shares nothing', async () => {
  const engine = await open()
  const bound = engine.as(NORI, { within: { agentId: 'nori' } })
  await bound.remember([FACT], {})
  expect(await known(engine, KOJI)).toEqual([])
})
