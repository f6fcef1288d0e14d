import { describe, expect, it } from 'vitest'
import { openServer } from './open-server.ts'

const SHOP = { projectId: 'shop' }
const fact = (content: string, more: object = {}) => ({ layer: 'project', identifiers: SHOP, content, ...more })

describe('an agent’s memories', () => {
  const path = '/api/agents/nori/memories'

  it('[A03] POST creates one of source manual, and answers 201 with it', async () => {
    const { call, memory } = await openServer()
    const { status, json, headers } = await call('POST', path, {
      body: { projectId: 'shop', content: 'Likes small commits' },
    })
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      agentName: 'nori',
      projectId: 'shop',
      content: 'Likes small commits',
      source: 'manual',
      trust: 'agent',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(headers.get('location')).toBe(`/api/memories/${json.id}`)
    expect(await memory.get(json.id, { everything: true })).toMatchObject({
      layer: 'agent',
      identifiers: { agentId: 'nori', projectId: 'shop' },
    })
  })

  it('[A04] GET lists the 50 newest of this agent and project, and no other', async () => {
    const { call, memory } = await openServer()
    const own = memory.as({ agentId: 'nori', projectId: 'shop' })
    for (let i = 1; i <= 55; i++) await own.add({ layer: 'agent', content: `Fact number ${i}` })
    await memory.as({ agentId: 'nori', projectId: 'blog' }).add({ layer: 'agent', content: 'Blog' })
    await memory.as({ agentId: 'koji', projectId: 'shop' }).add({ layer: 'agent', content: 'Koji' })
    for (let i = 0; i < 60; i++)
      await memory.as({ agentId: 'nori' }).add({ layer: 'agent', content: `Of no project ${i}` })
    const { status, json } = await call('GET', `${path}?projectId=shop`)
    expect(status).toBe(200)
    expect(json.map(({ content }: { content: string }) => content)).toEqual(
      Array.from({ length: 50 }, (_, i) => `Fact number ${55 - i}`),
    )
  })

  it('[A03] [A04] [A12] needs a project', async () => {
    const { call } = await openServer()
    const missing = { code: 'MISSING_IDENTIFIER', details: { identifier: 'projectId' }, retryable: false }
    expect(await call('GET', path)).toMatchObject({ status: 400, json: { error: missing } })
    expect(await call('DELETE', path)).toMatchObject({ status: 400, json: { error: missing } })
    expect(await call('POST', path, { body: { content: 'x' } })).toMatchObject({
      status: 400,
      json: { error: missing },
    })
  })

  it('[A11] DELETE removes one with 204, and is idempotent; another agent’s stays', async () => {
    const { call, memory } = await openServer()
    const { json } = await call('POST', path, { body: { projectId: 'shop', content: 'Gone soon' } })
    expect(await call('DELETE', `/api/agents/koji/memories/${json.id}`)).toMatchObject({ status: 204, text: '' })
    expect(await memory.get(json.id, { everything: true })).not.toBeNull()
    expect(await call('DELETE', `${path}/${json.id}`)).toMatchObject({ status: 204, text: '' })
    expect(await memory.get(json.id, { everything: true })).toBeNull()
    expect((await call('DELETE', `${path}/${json.id}`)).status).toBe(204)
  })

  it('[A12] DELETE with a project removes all pages of it, inactive ones too, and nothing else', async () => {
    const { call, memory } = await openServer()
    const own = memory.as({ agentId: 'nori', projectId: 'shop' })
    for (let i = 0; i < 230; i++) await own.add({ layer: 'agent', content: `Fact ${i}`, confidence: i % 2 ? 0.1 : 0.9 })
    await memory.as({ agentId: 'nori', projectId: 'blog' }).add({ layer: 'agent', content: 'Blog' })
    await memory.as({ agentId: 'nori' }).add({ layer: 'agent', content: 'Of no project' })
    expect(await call('DELETE', `${path}?projectId=shop`)).toMatchObject({ status: 204, text: '' })
    const left = await memory.list({ everything: true, includeInactive: true })
    expect(left.memories.map(({ content }) => content).sort()).toEqual(['Blog', 'Of no project'])
  })
})

describe('personalities', () => {
  const path = '/api/agents/nori/personality'
  const nori = { displayName: 'Nori', persona: 'You are Nori.', traits: ['quick'], communicationStyle: 'Short.' }

  it('[B04] GET is 404 until it is stored, PUT stores it, DELETE forgets it with 204', async () => {
    const { call } = await openServer()
    expect(await call('GET', path)).toMatchObject({ status: 404, json: { error: { code: 'MEMORY_NOT_FOUND' } } })
    const put = await call('PUT', path, { body: nori })
    expect(put).toMatchObject({ status: 200, json: { agentName: 'nori', ...nori, updatedAt: expect.any(String) } })
    expect((await call('GET', path)).json).toEqual(put.json)
    expect(await call('DELETE', path)).toMatchObject({ status: 204, text: '' })
    expect((await call('GET', path)).status).toBe(404)
    expect((await call('DELETE', path)).status).toBe(204)
  })

  it('[B04] the profile is what is stored, else built in, else 404', async () => {
    const { call } = await openServer()
    expect((await call('GET', '/api/agents/nori/profile')).json).toMatchObject({ agentName: 'nori', updatedAt: null })
    await call('PUT', path, { body: nori })
    expect((await call('GET', '/api/agents/nori/profile')).json).toMatchObject({ persona: 'You are Nori.' })
    expect((await call('GET', '/api/agents/somebody/profile')).status).toBe(404)
  })

  it('GET /api/agents lists the stored ones and the built-in ones', async () => {
    const { call } = await openServer()
    await call('PUT', '/api/agents/zed/personality', { body: { ...nori, displayName: 'Zed' } })
    await call('PUT', path, { body: nori })
    const { json } = await call('GET', '/api/agents')
    expect(json.map(({ agentName, updatedAt }: never) => [agentName, updatedAt !== null])).toEqual([
      ['koji', false],
      ['miso', false],
      ['nori', true],
      ['toro', false],
      ['zed', true],
    ])
  })

  it('a name in the body must be the one of the address', async () => {
    const { call } = await openServer()
    expect((await call('PUT', path, { body: { ...nori, agentName: 'nori' } })).status).toBe(200)
    expect((await call('PUT', path, { body: { ...nori, agentName: 'koji' } })).status).toBe(400)
  })
})

describe('observations of operators', () => {
  it('[E31] [E19] adds one to a project, clamps confidence, lists inactive ones, changes and deletes', async () => {
    const { call, memory } = await openServer({ project: 'home' })
    const body = {
      category: 'maintenance',
      service: 'postgres',
      observation: 'Needs VACUUM FULL weekly',
      confidence: 1.5,
    }
    const added = await call('POST', '/api/v1/memories', { body })
    expect(added).toMatchObject({
      status: 201,
      json: { ...body, confidence: 1, active: true, session_id: null, tier: 0 },
    })
    expect((await memory.get(added.json.id, { everything: true }))?.identifiers).toEqual({ projectId: 'home' })
    const path = `/api/v1/memories/${added.json.id}`
    expect((await call('PUT', path, { body: { confidence: 0.1 } })).json).toMatchObject({
      confidence: 0.1,
      active: false,
    })
    const { json } = await call('GET', '/api/v1/memories?service=postgres')
    expect(json).toMatchObject({
      totalCount: 1,
      memories: [{ active: false, observation: 'Needs VACUUM FULL weekly' }],
    })
    const edited = await call('PUT', path, { body: { observation: 'Needs VACUUM weekly', confidence: 0.5 } })
    expect(edited.json).toMatchObject({ observation: 'Needs VACUUM weekly', active: true, confidence: 0.5 })
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', '/api/v1/memories')).json.totalCount).toBe(0)
  })

  it('without a project of its own the server asks for one', async () => {
    const { call } = await openServer()
    const body = { category: 'timing', observation: 'x' }
    expect((await call('POST', '/api/v1/memories', { body })).json.error.details).toEqual({ identifier: 'projectId' })
    expect((await call('POST', '/api/v1/memories?projectId=shop', { body })).status).toBe(201)
  })
})

describe('runs', () => {
  it('context shows the block; with a session it is recorded, and the session shows what it saw and left', async () => {
    const { call, memory } = await openServer()
    await memory.as(SHOP).add({ layer: 'project', content: 'Starts in a minute', category: 'timing', service: 'web' })
    const look = await call('POST', '/api/context', { body: { identifiers: SHOP } })
    expect(look.json.text).toContain('## Operational Memory (1 memory')
    await call('POST', '/api/context', { body: { identifiers: SHOP, session: 'run-1' } })
    await call('POST', '/api/memories', { body: fact('Left by it', { session: 'run-1' }) })
    const { json } = await call('GET', '/api/sessions/run-1?projectId=shop')
    expect(json.session).toMatchObject({ id: 'run-1', project: 'shop' })
    expect(json.shown.map(({ memory: shown }: never) => (shown as { content: string }).content)).toEqual([
      'Starts in a minute',
    ])
    expect(json.left.map(({ content }: never) => content)).toEqual(['Left by it'])
    expect((await call('GET', '/api/sessions?projectId=shop')).json.sessions).toHaveLength(1)
    expect((await call('GET', '/api/sessions/run-1?projectId=blog')).status).toBe(404)
  })

  it('recall tells what matters at a moment, once a session, and the session shows when', async () => {
    const { call, memory } = await openServer()
    const content = 'Run terraform apply only from the bastion'
    await memory.as(SHOP).add({ layer: 'project', content })
    const moment = { kind: 'tool', name: 'Bash', input: { command: 'terraform apply' } }
    const body = { identifiers: SHOP, session: 'run-1', moment }
    const { json } = await call('POST', '/api/recall', { body })
    expect(json.text).toContain(content)
    expect((await call('POST', '/api/recall', { body })).json).toMatchObject({ lines: [], text: '' })
    const { json: run } = await call('GET', '/api/sessions/run-1?projectId=shop')
    expect(run.shown).toMatchObject([{ format: 'moment:tool terraform apply', memory: { content } }])
  })

  it('an event is recorded and remembered', async () => {
    const { call } = await openServer()
    const event = { type: 'rejection', projectId: 'shop', taskId: 'T1', notes: 'No tests', cycle: 1 }
    const { status, json } = await call('POST', '/api/events', { body: event })
    expect(status).toBe(201)
    expect(json.outcomes[0]).toMatchObject({ kind: 'insert' })
    expect((await call('GET', '/api/events?projectId=shop')).json.events).toMatchObject([{ type: 'rejection' }])
    expect((await call('POST', '/api/events', { body: { ...event, type: 'party' } })).status).toBe(400)
    expect((await call('POST', '/api/events', { body: { ...event, projectId: undefined } })).json.error.code).toBe(
      'MISSING_IDENTIFIER',
    )
  })

  it('history tells who made each change: the token’s name', async () => {
    const { call, token } = await openServer()
    const [ann, bob] = [await token('write', SHOP, 'ann'), await token('write', SHOP, 'bob')]
    const { memory } = (await call('POST', '/api/memories', { body: fact('One'), token: ann })).json
    await call('PATCH', `/api/memories/${memory.id}`, { body: { content: 'Two' }, token: bob })
    await call('DELETE', `/api/memories/${memory.id}`)
    const { json } = await call('GET', `/api/memories/${memory.id}/history`)
    expect(json.changes.map(({ operation, by }: never) => [operation, by])).toEqual([
      ['create', 'ann'],
      ['update', 'bob'],
      ['delete', 'local'],
    ])
    expect((await call('GET', '/api/memories/unknown/history')).status).toBe(404)
  })

  it('the directory opens what is above a project', async () => {
    const { call, memory } = await openServer()
    await call('PUT', '/api/directory', { body: { projectId: 'shop', teamId: 'red' } })
    await memory.as({ teamId: 'red' }).add({ layer: 'team', content: 'Of the team' })
    expect((await call('GET', '/api/memories?projectId=shop')).json.totalCount).toBe(1)
    expect((await call('GET', '/api/directory')).json).toMatchObject([{ layer: 'project', id: 'shop', teamId: 'red' }])
    expect((await call('DELETE', '/api/directory/project/shop')).status).toBe(204)
    expect((await call('GET', '/api/memories?projectId=shop')).json.totalCount).toBe(0)
  })
})

it('an observation of something earlier leaves what is newer as it is', async () => {
  const { call } = await openServer()
  const identifiers = { projectId: 'shop' }
  const say = async (content: string, more: object = {}) => {
    const body = { identifiers, candidates: [{ content, category: 'timing', service: 'jellyfin', ...more }] }
    return (await call('POST', '/api/memories/remember', { body })).json[0]
  }
  const { memory } = await say('Takes 90s to start')
  const declares = { relation: 'corrects', text: 'Takes 90s to start' }
  const earlier = await say('Takes 60s to start', { declares, occurredAt: '2020-01-01T00:00:00Z' })
  expect(earlier).toMatchObject({ kind: 'insert', reason: expect.stringContaining('happened before') })
  expect((await call('GET', `/api/memories/${memory.id}?projectId=shop`)).json).toMatchObject({
    version: 1,
    active: true,
  })
  expect(await say('Takes 45s to start', { declares })).toMatchObject({ kind: 'contradict' })
})
