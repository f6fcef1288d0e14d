import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { CATEGORIES } from '../model/categories.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { openMemory } from './open-memory.ts'

it('a session is told at its start what was decided, and not how tasks went', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const own = memory.as({ projectId: 'shop' })
  await own.add({ layer: 'project', category: 'decision', content: 'We deploy with Kamal' })
  await own.add({ layer: 'project', category: 'hint', content: 'Staging is faster in the morning' })
  await memory.record({ type: 'rejection', projectId: 'shop', cycle: 1, notes: 'tests are missing' })
  const { memories, available } = await own.context({})
  expect(memories.map(({ category }) => category).sort()).toEqual(['decision', 'hint'])
  expect(available).toBe(2)
  await memory.shutdown()
})

it('whatever an operator adds is shown at the start of a session, in a file too', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const own = memory.as({ projectId: 'shop', agentId: 'nori' })
  for (const category of CATEGORIES)
    await memory.add({
      layer: 'project',
      identifiers: { projectId: 'shop' },
      category,
      tier: 0,
      content: `Rule of ${category}`,
    })
  for (const format of ['operational', 'file'] as const) {
    const { memories } = await own.context({ format })
    expect(memories.map(({ category }) => category).sort()).toEqual(CATEGORIES.toSorted())
  }
  await memory.shutdown()
})

it('what several tasks were rejected for is told to every session of the project, once; to a task by its own block', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const reject = (taskId: string, notes: string) =>
    memory.record({ type: 'rejection', projectId: 'shop', taskId, cycle: 1, notes })
  for (const task of ['T1', 'T2', 'T3']) await reject(task, 'Dates need date-fns')
  await reject('T4', 'The cart has no test')
  const { text, memories, available } = await memory.as({ projectId: 'shop' }).context({})
  expect(text).toMatch(/^- \[rejection\] Rejected: Dates need date-fns \(confidence/m)
  expect([memories.length, available]).toEqual([1, 1])
  expect((await memory.as({ projectId: 'shop', taskId: 'T9' }).context({})).text).toBe('')
  expect((await memory.as({ projectId: 'bar' }).context({})).text).toBe('')
  await memory.shutdown()
})

it('while everything fits, a task changes nothing; when not, what it calls for stands behind what is always shown', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const own = memory.as({ projectId: 'shop' })
  for (let i = 0; i < 40; i++)
    await own.add(`Shelf ${i} of the warehouse is counted by robot ${i + 40}`, { confidence: 0.9 })
  const asked = 'Rotate the signing key of the price feed before the quarter ends'
  await own.add(asked, { confidence: 0.5 })
  const whole = await own.context({})
  expect(await own.context({ for: 'rotate the signing key' })).toEqual(whole)

  const budget = 300
  const plain = await own.context({ budget })
  expect(plain.text).not.toContain(asked)
  const told = await own.context({ budget, for: 'rotate the signing key of the price feed' })
  const [stable, calledFor] = told.text.split('### For this task')
  expect(calledFor).toContain(asked)
  expect(told.tokens).toBeLessThanOrEqual(budget)
  expect(told.memories.map(({ id }) => id)).toEqual(told.included.map(({ id }) => id))
  expect(new Set(told.included.map(({ id }) => id)).size).toBe(told.included.length)
  // The prefix is the same for every task, so the prompt cache hits.
  const other = await own.context({ budget, for: 'which robot counts shelf 39 of the warehouse' })
  expect(other.text.startsWith(stable!.trimEnd())).toBe(true)
  await memory.shutdown()
})

it('an agent’s file has what its task calls for at its end, spelled so that no import is read', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const own = memory.as({ projectId: 'shop', agentId: 'nori' })
  const shelve = async (layer: 'agent' | 'project', i: number) =>
    own.add({ layer, content: `Shelf ${i} of the warehouse is counted by robot ${i + 90}`, confidence: 0.9 })
  for (let i = 0; i < 10; i++) await shelve('project', i)
  const asked = 'Rotate the signing key of the price feed with @scripts/rotate'
  await own.add({ layer: 'project', content: asked, confidence: 0.5 })
  const task = { format: 'file', for: 'rotate the signing key of the price feed' } as const
  expect(await own.context(task)).toEqual(await own.context({ format: 'file' }))
  const told = await own.context({ ...task, budget: 120 })
  expect(told.text).toMatch(
    /\n\n## For this task\n\n- \[learning\] Rotate the signing .* with \(at\)scripts\/rotate .*\n$/,
  )
  expect(told.memories.map(({ id }) => id)).toEqual(told.included.map(({ id }) => id))
  expect((await own.context({ ...task, budget: 120, inPrompt: true })).text).toContain(' with @scripts/rotate')

  // The file has only the fifty newest of the agent's own memories.
  const { memory: oldest } = await own.add({ layer: 'agent', content: 'The price feed is signed with minisign' })
  for (let i = 10; i < 60; i++) await shelve('agent', i)
  const crowded = await own.context({ ...task, budget: 9000 })
  expect(crowded.text.split('## For this task')[1]).toContain(oldest!.content)
  await memory.shutdown()
})

it('a rejection that recurs in two sections is told in a third; one that does not stays where it was', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const reject = async (sectionId: string, taskId: string, content: string) => {
    const own = memory.as({ projectId: 'shop', sectionId, taskId })
    await own.add({ layer: 'task', category: 'rejection', content })
  }
  await reject('S1', 'T1', 'Rejected (cycle 1): The retry has no limit')
  await reject('S1', 'T1', 'Rejected (cycle 1): The page has no title')
  const third = memory.as({ projectId: 'shop', sectionId: 'S3', taskId: 'T9' })
  expect((await third.context({ format: 'workflow' })).text).toBe('')
  await reject('S2', 'T2', 'Rejected (cycle 2): The retry has no limit.')
  const { text } = await third.context({ format: 'workflow' })
  expect(text).toMatch(/### Project\n- \[rejection, 2 times in 2 tasks, last on .*\] .*The retry has no limit/)
  expect(text).not.toContain('The page has no title')
  const stranger = memory.as({ projectId: 'blog', sectionId: 'S3', taskId: 'T9' })
  expect((await stranger.context({ format: 'workflow' })).text).toBe('')
  await memory.shutdown()
})

it('a rejection that comes again in its task counts each time, whoever says so and whatever that session was shown', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const tasks = ['T1', 'T2', 'T1', 'T2', 'T1']
  for (const [i, taskId] of tasks.entries()) {
    const type = 'rejection' as const
    const place = { projectId: 'shop', sectionId: 'S1', taskId }
    const session = `review-${i}`
    const own = memory.as(place)
    await own.beginSession({ id: session, project: 'shop' })
    const { included } = await own.context({ format: 'workflow' })
    const entries = included.map(({ id }, position) => ({ memory: id, position, tokens: 5 }))
    if (entries.length > 0) await own.recordShowing({ session, format: 'workflow', entries })
    await memory.record({ type, ...place, cycle: i + 1, notes: 'The retry has no limit' }, { session })
  }
  const { text } = await memory.as({ projectId: 'shop', sectionId: 'S1', taskId: 'T9' }).context({ format: 'workflow' })
  expect(text).toMatch(/- \[rejection, 5 times in 2 tasks, last on .*\] Rejected: The retry has no limit/)
  await memory.shutdown()
})

it('a dispute is told beside what a query finds, also where the other side is not found', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const as = (agentId: string) => memory.as({ agentId, projectId: 'shop' })
  await as('nori').add('Jellyfin takes 60s to start', { service: 'jellyfin', category: 'timing' })
  const said = await as('koji').add('Jellyfin takes 90s to start (was: Jellyfin takes 60s to start)', {
    service: 'jellyfin',
    category: 'timing',
  })
  expect(said.outcome).toBe('contradict')
  const shop = memory.as({ projectId: 'shop' })
  const { text } = await shop.context({ format: 'query', query: 'how long does jellyfin take to start', threshold: 0 })
  expect(text).toMatch(/90s to start.*disputed: 1 agent says this/s)
  await memory.shutdown()
})

it('a session that is shown nothing has begun all the same, once for a key', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const shop = memory.as({ projectId: 'shop' })
  expect((await shop.context({ session: 'run-1', key: 'k' })).included).toEqual([])
  expect((await shop.context({ session: 'run-1', key: 'k' })).included).toEqual([])
  const { sessions } = await shop.sessions()
  expect(sessions.map(({ id, project }) => [id, project])).toEqual([['run-1', 'shop']])
  await memory.shutdown()
})

it('the memory file has the agent’s own first, and the project’s under a heading', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const nori = memory.as({ agentId: 'nori', projectId: 'shop' })
  await nori.add('I forget the lock file', { layer: 'agent' })
  await nori.add('Prices are in cents')
  const { text, available } = await nori.context({ format: 'file' })
  expect(available).toBe(2)
  const [own, shared] = text.split(/^## .*$/m)
  expect(own).toContain('I forget the lock file')
  expect(shared).toContain('Prices are in cents')
  await memory.shutdown()
})
