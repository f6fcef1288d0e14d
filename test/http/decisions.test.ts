import { expect, it } from 'vitest'
import type { Decisions } from '../../src/model/decision.ts'
import { openServer } from './open-server.ts'

const SHOP = { projectId: 'shop' }
const OLD = 'Takes 60s to start'
const NEW = 'Takes 90s to start'

async function corrected() {
  const server = await openServer()
  const { memory } = server
  const shop = memory.as(SHOP)
  const say = async (content: string, session: string) =>
    (await shop.remember({ content, category: 'timing' }, { session, layer: 'project' }))[0]! as {
      memory: { id: string }
    }
  const first = (await say(OLD, 's1')).memory.id
  const second = (await say(`${NEW} (was: ${OLD})`, 's2')).memory.id
  const token = async (scope: 'read' | 'write' | 'admin') =>
    (await memory.tokens.create({ name: scope, scope, ...(scope === 'admin' ? {} : { identifiers: SHOP }) })).secret
  return { ...server, shop, first, second, token }
}

it('decisions are read with their reason and both texts, and undone, settled and retracted by an admin alone', async () => {
  const { call, shop, first, second, token } = await corrected()
  const [read, write, admin] = [await token('read'), await token('write'), await token('admin')]
  const { status, json } = await call('GET', `/api/memories/${first}/decisions`, { token: read })
  expect(status).toBe(200)
  expect((json as Decisions).decisions).toMatchObject([
    { kind: 'corrected', reason: 'declared as a correction', content: OLD, other: { id: second, content: NEW } },
  ])
  expect((json as Decisions).hiddenBy ?? (json as Decisions).disputed).toBeTruthy()
  const acts: [string, object][] = [
    [`/api/memories/${first}/undo`, {}],
    [`/api/memories/${first}/settle`, { other: second, as: 'both-true', identifiers: SHOP }],
    [`/api/memories/${second}/retract`, { why: 'Another host', identifiers: SHOP }],
  ]
  for (const [path, asked] of acts) expect((await call('POST', path, { body: asked, token: write })).status).toBe(403)
  expect(await shop.get(first)).toMatchObject({ confidence: 0.5 })
  const undone = await call('POST', acts[0]![0], { body: {}, token: admin })
  expect(undone).toMatchObject({ status: 200, json: { memory: { confidence: 0.7 }, undone: [{ kind: 'corrected' }] } })
  for (const [path, asked] of acts.slice(1))
    expect((await call('POST', path, { body: asked, token: admin })).status).toBe(200)
  expect(await shop.get(second)).toMatchObject({ active: false })
  expect((await call('GET', `/api/memories/${second}`, { token: read })).status).toBe(404)
  expect((await call('GET', `/api/memories/${second}/decisions`, { token: read })).status).toBe(404)
})

it('the memory page tells them, with one click to undo and a form to retract', async () => {
  const { call, shop, first, second } = await corrected()
  const page = async (id: string) => (await call('GET', `/memories/${id}`)).text
  const text = await page(first)
  expect(text).toContain('Corrected by')
  expect(text).toContain('declared as a correction')
  expect(text).toContain(`hx-post="/memories/${first}/undo"`)
  expect(text).toContain(`hx-post="/memories/${first}/retract"`)
  expect(await shop.get(second)).toMatchObject({ active: true })
})
