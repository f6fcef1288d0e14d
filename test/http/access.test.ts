import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OWN_OPERATIONS, WHOLE_OPERATIONS } from '../../src/engine/url/operations.ts'
import type { Route } from '../../src/http/route.ts'
import { examplePath, openServer } from './open-server.ts'

const SHOP = { projectId: 'shop' }
const BLOG = { projectId: 'blog' }
const SECRET = 'The blog keeps its secret words here'

/** A valid body for each route, so that only the token decides. */
const BODIES: Record<string, unknown> = {
  'POST /api/memories': { layer: 'project', identifiers: BLOG, content: 'Written' },
  'DELETE /api/memories': { ids: ['unknown'] },
  'POST /api/memories/search': { query: 'secret words', identifiers: BLOG, threshold: 0 },
  'POST /api/memories/bulk': { memories: [{ layer: 'project', identifiers: BLOG, content: 'Written' }] },
  'POST /api/memories/remember': { identifiers: BLOG, candidates: [{ content: 'Written', category: 'learning' }] },
  'PATCH /api/memories/:id': { content: 'Changed' },
  'POST /api/memories/:id/retract': { why: 'It was wrong' },
  'POST /api/memories/:id/settle': { other: 'unknown', as: 'same' },
  'POST /api/agents/:agentName/memories': { projectId: 'blog', content: 'Written' },
  'PUT /api/agents/:agentName/personality': { displayName: 'Nori', persona: 'You.' },
  'POST /api/v1/memories': { category: 'timing', observation: 'Written' },
  'PUT /api/v1/memories/:id': { observation: 'Changed' },
  'POST /api/context': { identifiers: BLOG },
  'POST /api/recall': { identifiers: BLOG, moment: { kind: 'prompt', text: 'secret words' } },
  'POST /api/events': { type: 'hint', projectId: 'blog', summary: 'Written' },
  'PUT /api/directory': { projectId: 'blog', teamId: 'red' },
}

/** Routes that take identifiers in the query. */
const QUERIES: Record<string, string> = {
  'GET /api/memories': '?projectId=blog',
  'GET /api/agents/:agentName/memories': '?projectId=blog',
  'DELETE /api/agents/:agentName/memories': '?projectId=blog',
  'GET /api/v1/memories': '?projectId=blog',
  'POST /api/v1/memories': '?projectId=blog',
  'GET /api/events': '?projectId=blog',
  'GET /api/sessions': '?projectId=blog',
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`
const isApi = ({ api }: Route) => api !== undefined

async function open() {
  const server = await openServer({ requireToken: true })
  const { memory, token } = server
  const { memory: secret } = await memory
    .as(BLOG, { agent: true })
    .add({ layer: 'project', content: SECRET, session: 'blog-run' })
  const revoked = await token('admin', {}, 'revoked')
  await memory.tokens.revoke('revoked')
  const kinds = {
    none: undefined,
    malformed: 'nks_nonsense',
    unknown: `nks_${'0'.repeat(16)}_${'a'.repeat(43)}`,
    revoked,
    read: await token('read'),
    write: await token('write'),
    admin: await token('admin'),
    'read of this project': await token('read', BLOG, 'blog-read'),
    'write of this project': await token('write', BLOG, 'blog-write'),
    'write of another project': await token('write', SHOP, 'shop'),
    'write of another agent': await token('write', { ...SHOP, agentId: 'koji' }, 'koji'),
  }
  const ask = (route: Route, kind: keyof typeof kinds) => {
    const name = nameOf(route)
    const path = examplePath(route, { id: route.path.includes('sessions') ? 'blog-run' : secret.id, layer: 'project' })
    const key = kinds[kind]
    return server.call(route.method, path + (QUERIES[name] ?? ''), {
      ...(key === undefined ? {} : { token: key }),
      ...(name in BODIES ? { body: BODIES[name] } : {}),
    })
  }
  return { ...server, kinds, secret, ask }
}

const RANK = { open: 0, read: 1, write: 2, admin: 3 }

describe('every route with every kind of token', () => {
  it('without a valid token only what is open answers', async () => {
    const { routes, ask } = await open()
    for (const route of routes.filter(({ path }) => path !== '/login')) {
      for (const kind of ['none', 'malformed', 'unknown', 'revoked'] as const) {
        const { status, json, text } = await ask(route, kind)
        const name = `${nameOf(route)} with ${kind}`
        expect(text, name).not.toContain(SECRET)
        if (route.needs === 'open') expect(status, name).not.toBe(401)
        else expect({ status, error: json.error }, name).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } })
      }
    }
  })

  it('a scope opens what needs it and what is below, and nothing above', async () => {
    const { routes, ask } = await open()
    for (const route of routes.filter(isApi)) {
      for (const scope of ['read', 'write', 'admin'] as const) {
        const { status, json } = await ask(route, scope)
        const enough = RANK[scope] >= RANK[route.needs]
        const name = `${nameOf(route)} with ${scope}`
        if (enough) expect([401, 403], `${name}: ${JSON.stringify(json)}`).not.toContain(status)
        else expect({ status, scope: json.error.details.scope }, name).toEqual({ status: 403, scope: route.needs })
      }
    }
  })

  it('a token of another project or agent sees and changes nothing of this one', async () => {
    const { routes, ask, memory, secret } = await open()
    const before = await memory.get(secret.id, { everything: true })
    for (const route of routes.filter(isApi)) {
      for (const kind of ['write of another project', 'write of another agent'] as const) {
        const { status, text, json } = await ask(route, kind)
        const name = `${nameOf(route)} with ${kind}: ${status}`
        expect(text, name).not.toContain(SECRET)
        // Forbidden claims are refused; memories out of scope do not exist.
        if (nameOf(route) in QUERIES || /identifiers|projectId/.test(JSON.stringify(BODIES[nameOf(route)] ?? ''))) {
          expect({ status, code: json.error.code }, name).toEqual({ status: 403, code: 'UNAUTHORIZED' })
        }
      }
    }
    expect(await memory.get(secret.id, { everything: true })).toEqual(before)
    const all = await memory.list({ everything: true, includeInactive: true })
    expect(all.totalCount).toBe(1)
  })

  it('a token of this project works in it', async () => {
    const { routes, ask, secret, memory } = await open()
    const inProject = routes.filter((route) => isApi(route) && !route.unbound && route.needs !== 'admin')
    // Operations that remove the memory come last.
    const ordered = inProject.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
    for (const route of ordered) {
      const name = nameOf(route)
      const write = await ask(route, 'write of this project')
      expect(write.status, `${name}: ${write.text}`).toBeLessThan(
        name.includes('profile') || name.includes('personality') ? 405 : 400,
      )
      const read = await ask(route, 'read of this project')
      if (route.needs === 'write') expect(read.status, name).toBe(403)
    }
    expect(await memory.get(secret.id, { everything: true })).toBeNull()
  })

  it('a token that is bound to anything does nothing to the whole store, and reads no figures of it', async () => {
    const { routes, ask } = await open()
    const ofAll = routes.filter(({ unbound }) => unbound)
    const whole = Object.entries({ ...OWN_OPERATIONS, ...WHOLE_OPERATIONS }).filter(([, { whole }]) => whole)
    expect(ofAll.map(({ path }) => path).sort()).toEqual(
      ['/metrics', ...whole.map(([name]) => `/api/engine/${name}`)].sort(),
    )
    for (const route of ofAll) {
      const { status, json } = await ask(route, 'write of this project')
      expect({ status, code: json.error.code }, nameOf(route)).toEqual({ status: 403, code: 'UNAUTHORIZED' })
    }
  })

  it('every route that is described can be asked here', async () => {
    const { routes } = await open()
    const withBody = routes.filter((route) => route.api?.body !== undefined).map(nameOf)
    expect(withBody.sort()).toEqual(Object.keys(BODIES).sort())
  })
})

describe('what a token may claim', () => {
  it('a project’s token may name an agent, task or section in it, and no other project, team, user or session', async () => {
    const { call, token, memory } = await openServer({ requireToken: true })
    const shop = await token('write', SHOP)
    await memory.as({ ...SHOP, agentId: 'nori' }).add({ layer: 'agent', content: 'Of nori' })
    await memory.as({ ...SHOP, taskId: 'T1' }).add({ layer: 'task', content: 'Of T1' })
    await memory.as({ teamId: 'red' }).add({ layer: 'team', content: 'Of red' })
    const list = (query: string) => call('GET', `/api/memories${query}`, { token: shop })
    expect((await list('')).json.totalCount).toBe(0)
    expect((await list('?agentId=nori')).json.memories[0].content).toBe('Of nori')
    expect((await list('?taskId=T1')).json.memories[0].content).toBe('Of T1')
    expect((await list('?projectId=shop')).status).toBe(200)
    for (const claim of 'projectId=blog teamId=red userId=ann sessionId=s orgId=o companyId=c everything=true'.split(
      ' ',
    )) {
      expect(await list(`?${claim}`), claim).toMatchObject({ status: 403, json: { error: { code: 'UNAUTHORIZED' } } })
    }
    const add = (layer: string, identifiers: object) =>
      call('POST', '/api/memories', { token: shop, body: { layer, identifiers, content: 'Written' } })
    expect((await add('team', { teamId: 'red' })).status).toBe(403)
    expect((await add('team', {})).json.error.code).toBe('MISSING_IDENTIFIER')
    expect((await add('project', {})).json.memory.identifiers).toEqual(SHOP)
  })

  it('by its id a project’s token reaches what any agent left in it', async () => {
    const { call, token, memory } = await openServer({ requireToken: true })
    const shop = await token('write', SHOP)
    const { memory: own } = await memory.as({ ...SHOP, agentId: 'nori' }).add({ layer: 'agent', content: 'Of nori' })
    const { memory: other } = await memory.as({ ...BLOG, agentId: 'nori' }).add({ layer: 'agent', content: 'Blog’s' })
    expect((await call('GET', `/api/memories/${own.id}`, { token: shop })).status).toBe(200)
    expect((await call('GET', `/api/memories/${other.id}`, { token: shop })).status).toBe(404)
    await call('DELETE', `/api/agents/nori/memories/${other.id}`, { token: shop })
    expect(await memory.get(other.id, { everything: true })).not.toBeNull()
  })

  it('everything is for admins, and has to be said', async () => {
    const { call, token, memory } = await openServer({ requireToken: true })
    await memory.as(SHOP).add({ layer: 'project', content: 'Here' })
    const [write, admin] = [await token('write'), await token('admin')]
    expect((await call('GET', '/api/memories', { token: admin })).json.error.code).toBe('MISSING_IDENTIFIER')
    expect((await call('GET', '/api/memories?everything=true', { token: admin })).json.totalCount).toBe(1)
    expect((await call('GET', '/api/memories?everything=true&projectId=shop', { token: admin })).status).toBe(400)
    expect((await call('GET', '/api/memories?everything=true', { token: write })).status).toBe(403)
    expect((await call('GET', '/api/v1/memories', { token: admin })).json.totalCount).toBe(1)
    expect((await call('GET', '/api/v1/memories', { token: write })).json.error.code).toBe('MISSING_IDENTIFIER')
    const filtered = await call('GET', '/api/memories?everything=true&layers=team', { token: admin })
    expect(filtered.json.totalCount).toBe(0)
  })

  it('a showing is recorded by who may write', async () => {
    const { call, token } = await openServer({ requireToken: true })
    const read = await token('read', SHOP)
    expect((await call('POST', '/api/context', { token: read, body: {} })).status).toBe(200)
    expect((await call('POST', '/api/context', { token: read, body: { session: 's' } })).status).toBe(403)
    const moment = { kind: 'prompt', text: 'x' }
    expect((await call('POST', '/api/recall', { token: read, body: { moment } })).status).toBe(200)
    expect((await call('POST', '/api/recall', { token: read, body: { moment, session: 's' } })).status).toBe(403)
  })
})

/** The table in docs/rest.md. `npm run docs` writes it. */
describe('docs/rest.md', () => {
  const file = join(import.meta.dirname, '../../docs/rest.md')
  const [begin, end] = ['<!-- routes -->', '<!-- /routes -->']

  it('lists every route of the API with what it needs', async () => {
    const { routes } = await openServer()
    const rows = routes.filter((route) => isApi(route) || /^\/(openapi|docs$|log|mcp)/.test(route.path))
    const table = [
      '| route | needs | |',
      '|---|---|---|',
      ...rows.map(
        ({ method, path, needs, unbound, summary }) =>
          `| \`${method} ${path}\` | ${needs === 'open' ? '–' : needs}${unbound ? ', unbound' : ''} | ${summary.replace(/\.$/, '')} |`,
      ),
    ].join('\n')
    const text = readFileSync(file, 'utf8')
    const before = text.slice(0, text.indexOf(begin) + begin.length)
    const wanted = `${before}\n${table}\n${text.slice(text.indexOf(end))}`
    if (process.env.NOKOSU_WRITE_DOCS) writeFileSync(file, wanted)
    else expect(text, 'run npm run docs').toBe(wanted)
  })
})
