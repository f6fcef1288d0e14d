import { expect, it } from 'vitest'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { fakeEmbedding } from '../testing/fake-embedder.ts'
import { openMemory } from './open-memory.ts'

const WRONG = 'The api listens on port 9000'
const REFUSED = [{ kind: 'refuse', reason: 'an operator has retracted it: it is wrong' }]

async function open() {
  const options = { storage: referenceStorage(), embedding: fakeEmbedding({}), relations: null, poisons: null }
  const memory = await openMemory(options)
  await memory.directory.set({ projectId: 'shop', teamId: 'web' })
  return { memory, shop: memory.as({ projectId: 'shop' }) }
}

it('words that an operator retracted are refused in every layer of the project, until that is undone', async () => {
  const { memory, shop } = await open()
  const { memory: wrong } = await shop.add(WRONG)
  await shop.retract(wrong.id, { why: 'It was read from the wrong host' })
  const nori = memory.as({ agentId: 'nori', projectId: 'shop', taskId: 'T1' })
  const say = (layer: 'agent' | 'task' | 'project', session: string) =>
    nori.remember({ content: `${WRONG}.`, category: 'timing' }, { layer, session })
  expect(await say('agent', 's1')).toMatchObject(REFUSED)
  expect(await say('task', 's2')).toMatchObject(REFUSED)
  expect(await say('project', 's3')).toMatchObject(REFUSED)
  const elsewhere = memory.as({ agentId: 'nori', projectId: 'other' })
  expect(await elsewhere.remember(WRONG, { session: 's4' })).toMatchObject([{ kind: 'insert' }])
  await shop.undo(wrong.id)
  expect(await say('agent', 's5')).toMatchObject([{ kind: 'insert' }])
})

it('so are those retracted in one agent’s layer, or in the team’s above', async () => {
  const { memory, shop } = await open()
  const nori = memory.as({ agentId: 'nori', projectId: 'shop' })
  const koji = memory.as({ agentId: 'koji', projectId: 'shop' })
  const { memory: private_ } = await memory.add(WRONG, {
    layer: 'agent',
    identifiers: { agentId: 'nori', projectId: 'shop' },
  })
  await memory.operator('ann').retract(private_.id, { why: 'It was never so' })
  expect(await koji.remember(WRONG, { session: 's1' })).toMatchObject(REFUSED)
  const web = memory.as({ teamId: 'web' })
  const { memory: ours } = await web.add('Deploys need no review')
  await web.retract(ours.id, { why: 'They always did' })
  expect(await nori.remember('Deploys need no review', { session: 's2' })).toMatchObject(REFUSED)
  // An operator may say it again.
  expect(await shop.add('Deploys need no review')).toMatchObject({ outcome: 'insert' })
})
