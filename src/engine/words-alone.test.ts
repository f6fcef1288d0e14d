import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { localRelationModel } from '../lifecycle/relate/relation-model.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }

it('a capture whose relation model is missing says so once, and stores all the same', async () => {
  const logged: string[] = []
  const say = (_: object, message: string) => void logged.push(message)
  const log = { debug: () => {}, info: () => {}, warn: say, error: say }
  const relations = localRelationModel({ modelPath: '/nowhere' })
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations, log })
  const capture = (text: string) => memory.capture(text, { format: 'text', identifiers: SHOP })
  expect((await capture('[MEMORY:timing:web] Takes 60 seconds to start')).warnings).toEqual([])
  const { outcomes, warnings } = await capture(
    '[MEMORY:timing:web] Start takes 90 seconds\n[MEMORY:timing:web] Start is over after 30 seconds',
  )
  expect(outcomes.map(({ kind }) => kind)).toEqual(['insert', 'insert'])
  expect(warnings).toEqual([expect.stringMatching(/^Compared by words alone, .*.*relation model/)])
  expect(logged).toEqual(warnings)
  await memory.shutdown()
})

it('where nobody wanted a model, nothing is to be mended', async () => {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations: null })
  const say = (content: string) =>
    memory.capture(`[MEMORY:timing:web] ${content}`, { format: 'text', identifiers: SHOP })
  await say('Takes 60 seconds to start')
  const { outcomes, warnings } = await say('Start takes 90 seconds')
  expect(outcomes[0]!.reason).toBe('no memory says it in the same words; compared by words alone')
  expect(warnings).toEqual([])
  await memory.shutdown()
})
