import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }

it('what happened is told of a session or of its project, page by page, and nothing where neither is named', async () => {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  const shop = memory.as(SHOP)
  const capture = (content: string, session: string) =>
    shop.capture(`[MEMORY:timing:web] ${content}`, { format: 'text', session })
  await capture('Takes 60 seconds to start', 'run-1')
  await capture('Backups end before 4', 'run-2')
  const sessions = async (claim: object) =>
    (await memory.events({ identifiers: claim })).events.map(({ session }) => session).toSorted()
  expect(await sessions(SHOP)).toEqual(['run-1', 'run-2'])
  expect(await sessions({ sessionId: 'run-2' })).toEqual(['run-2'])
  expect(await sessions({ sessionId: 'run-2', projectId: 'bank' })).toEqual(['run-2'])
  expect(await sessions({ agentId: 'nori' })).toEqual([])
  const first = await shop.events({ limit: 1 })
  const second = await shop.events({ limit: 1, cursor: first.nextCursor! })
  expect([...first.events, ...second.events].map(({ session }) => session).toSorted()).toEqual(['run-1', 'run-2'])
})

it('a showing is an event too, with what was left out', async () => {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  const shop = memory.as(SHOP)
  const { memory: shown } = await shop.add({ layer: 'project', content: 'Port 80 is open' })
  const entries = [{ memory: shown.id, position: 0, tokens: 4 }]
  const omitted = [{ memory: 'another', reason: 'over budget' }]
  await shop.recordShowing({ session: 'run-1', format: 'own', entries, omitted })
  const { events } = await shop.events({})
  expect(events).toMatchObject([{ session: 'run-1', data: { format: 'own', shown: 1, omitted, omittedCount: 1 } }])
  expect((await shop.injections({ session: 'run-1' })).injections).toMatchObject([{ memory: shown.id, position: 0 }])
  expect((await shop.injections({ memory: shown.id })).injections).toHaveLength(1)
  expect((await memory.as({ projectId: 'bank' }).injections({ session: 'run-1' })).injections).toEqual([])
  expect((await memory.as({ projectId: 'bank' }).injections({ memory: shown.id })).injections).toEqual([])
})

it('whoever is known begins and ends sessions of its own project and agent only', async () => {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  const nori = memory.as({ ...SHOP, agentId: 'nori' })
  await nori.beginSession({ id: 'own', agent: 'nori', project: 'shop' })
  const refused = { code: 'UNAUTHORIZED' }
  await expect(nori.beginSession({ id: 'a', agent: 'koji', project: 'shop' })).rejects.toMatchObject(refused)
  await expect(nori.beginSession({ id: 'b', agent: 'nori', project: 'bank' })).rejects.toMatchObject(refused)
  await expect(nori.endSession('own', { project: 'bank' })).rejects.toMatchObject(refused)
  await nori.endSession('own', { exitCode: 0 })
  expect(await memory.session('own', { everything: true })).toMatchObject({ exitCode: 0 })
})

it('a session is read by its agent, its project and whoever knows its id; one of nobody by everybody who knows its id', async () => {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  await memory.beginSession({ id: 'nobodys' })
  await memory.beginSession({ id: 'shops', project: 'shop' })
  await memory.beginSession({ id: 'noris', agent: 'nori' })
  await memory.beginSession({ id: 'both', agent: 'nori', project: 'shop' })
  const seen = async (identifiers: object) => {
    const ids = ['nobodys', 'shops', 'noris', 'both']
    const found = await Promise.all(ids.map((id) => memory.as(identifiers).session(id)))
    return found.flatMap((session) => session?.id ?? [])
  }
  expect(await seen(SHOP)).toEqual(['nobodys', 'shops', 'both'])
  expect(await seen({ agentId: 'nori' })).toEqual(['nobodys', 'noris'])
  expect(await seen({ agentId: 'koji', projectId: 'bank' })).toEqual(['nobodys'])
  expect(await seen({ sessionId: 'noris' })).toEqual(['nobodys', 'noris'])
})
