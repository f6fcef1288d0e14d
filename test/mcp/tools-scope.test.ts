import { expect, it } from 'vitest'
import { call, memoryWithClients } from './mcp-client.ts'

const SHOP = { projectId: 'shop' }
const NORI = { agentId: 'nori', projectId: 'shop' }

it('an agent leaves things for itself or for the project, and sees its own, the project’s and what is above', async () => {
  const { memory, connect } = await memoryWithClients()
  await memory.directory.set({ projectId: 'shop', teamId: 'web' })
  await memory.add({ content: 'The team deploys on Mondays', layer: 'team', identifiers: { teamId: 'web' } })
  await memory.add({ content: 'The other team sleeps', layer: 'team', identifiers: { teamId: 'ops' } })
  await memory.add({
    content: 'Another agent thinks',
    layer: 'agent',
    identifiers: { agentId: 'koji', projectId: 'shop' },
  })
  await memory.add({
    content: 'Elsewhere it rains',
    layer: 'agent',
    identifiers: { agentId: 'nori', projectId: 'other' },
  })
  const { memory: foreign } = await memory.add({
    content: 'Not ours',
    layer: 'project',
    identifiers: { projectId: 'other' },
  })
  const nori = await connect(NORI)
  expect((await call(nori, 'memory_add', { content: 'Prices are in cents' })).value).toMatchObject({
    memory: { layer: 'project' },
  })
  await call(nori, 'memory_add', { content: 'Orders live in Postgres', layer: 'agent' })
  const { memories } = (await call(nori, 'memory_list')).value as { memories: { content: string }[] }
  expect(memories.map(({ content }) => content).sort()).toEqual([
    'Orders live in Postgres',
    'Prices are in cents',
    'The team deploys on Mondays',
  ])
  const { id } = foreign
  for (const name of ['memory_get', 'memory_update']) {
    expect((await call(nori, name, { id, ...(name === 'memory_update' ? { content: 'x' } : {}) })).text).toMatch(
      /^MEMORY_NOT_FOUND/,
    )
  }
  expect((await call(nori, 'memory_delete', { id })).value).toEqual({ deleted: false })
  expect(await memory.get(id, { everything: true })).not.toBeNull()
  expect((await call(nori, 'memory_add', { content: 'For the user', layer: 'user' })).text).toMatch(
    /^MISSING_IDENTIFIER/,
  )
})

it('what an operator wrote keeps its words: an agent corrects it and cannot rewrite it', async () => {
  const { memory, connect } = await memoryWithClients()
  const said = { content: 'Deploy only from main', layer: 'project' as const, identifiers: SHOP, tier: 0 as const }
  const { memory: rule } = await memory.add(said)
  expect(rule.trust).toBe('operator')
  const client = await connect(SHOP)
  const refused = await call(client, 'memory_update', { id: rule.id, content: 'Deploy from anywhere' })
  expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/^UNAUTHORIZED: .*\(was: /) })
  const kept = await call(client, 'memory_delete', { id: rule.id })
  expect(kept).toMatchObject({ isError: true, text: expect.stringMatching(/^UNAUTHORIZED: .*\(was: /) })
  expect((await memory.get(rule.id, { everything: true }))!.content).toBe('Deploy only from main')
})

it('without a project nothing is read or written, and the answer says how to name one', async () => {
  const { memory, connect } = await memoryWithClients()
  const nobody = await connect({})
  for (const [name, args] of [
    ['memory_search', { query: 'x' }],
    ['memory_add', { content: 'x' }],
    ['memory_context', {}],
  ] as const) {
    const { isError, text } = await call(nobody, name, args)
    expect({ isError, text }, name).toEqual({
      isError: true,
      text: expect.stringMatching(/^MISSING_IDENTIFIER: .*--project/),
    })
  }
  // It would be visible in every project.
  const homeless = await connect({ agentId: 'nori' })
  expect((await call(homeless, 'memory_add', { content: 'x' })).text).toMatch(/^MISSING_IDENTIFIER: .*project/)
  expect((await memory.stats()).memories).toBe(0)
})

it('resources: the client’s own scopes are listed and read, others do not exist', async () => {
  const { memory, connect } = await memoryWithClients()
  const project = 'acme/shop'
  await memory.add({ content: 'Prices are in cents', layer: 'project', identifiers: { projectId: project } })
  await memory.add({ content: 'I like tests', layer: 'agent', identifiers: { agentId: 'nori', projectId: project } })
  const client = await connect({ agentId: 'nori', projectId: project })
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual([
    'nokosu://context/agent/nori',
    'nokosu://context/project/acme%2Fshop',
  ])
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['nokosu://context/{layer}/{id}'])
  const read = async (uri: string) => {
    const { contents } = await client.readResource({ uri })
    return (contents[0] as { text: string }).text
  }
  expect(await read('nokosu://context/agent/nori')).toMatch(/I like tests[\s\S]*Prices|Prices[\s\S]*I like tests/)
  const shared = await read('nokosu://context/project/acme%2Fshop')
  expect(shared).toContain('Prices are in cents')
  expect(shared).not.toContain('I like tests')
  for (const uri of [
    'nokosu://context/project/other',
    'nokosu://context/agent/*',
    'nokosu://context/project/acme/shop/..',
  ]) {
    await expect(read(uri), uri).rejects.toThrow()
  }
})

it('inside a run it is recorded what the run was shown, and what it says is the run’s', async () => {
  const { memory, connect } = await memoryWithClients()
  const { memory: known } = await memory.add({ content: 'Prices are in cents', layer: 'project', identifiers: SHOP })
  const client = await connect(SHOP, { session: 'run-1' })
  await call(client, 'memory_context')
  const { injections } = await memory.injections({ session: 'run-1', everything: true })
  expect(injections).toMatchObject([{ memory: known.id }])
  await call(client, 'memory_add', { content: 'Orders live in Postgres' })
  const { memories } = await memory.list({ session: 'run-1', everything: true })
  expect(memories).toMatchObject([{ content: 'Orders live in Postgres' }])
  // Without a run, no showing is recorded.
  await call(await connect(SHOP, { ownSession: 'mcp-1' }), 'memory_context')
  expect((await memory.sessions({ everything: true })).sessions.map(({ id }) => id)).toEqual(['run-1'])
})
