import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openServer } from './open-server.ts'

const SHOP = { projectId: 'shop' }
const random = (length: number) =>
  randomBytes(length * 2)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, length)

/** Places in a request that may contain a secret: `§` marks it. */
const FIELDS: Record<string, object> = {
  content: { content: 'The token is §' },
  service: { service: '§' },
  tags: { tags: ['§'] },
  anchor: { anchor: 'commit:§' },
  'a key of the metadata': { metadata: { '§': 1 } },
  metadata: { metadata: { deep: [{ token: '§' }] } },
  'metadata named beside it': { metadata: { env: [{ name: 'API_TOKEN', value: '§' }] } },
  'a pair in the metadata': { metadata: { env: [['API_TOKEN', '§']] } },
  session: { session: '§' },
  thread: { thread: { id: '§', index: 0 } },
  agentId: { identifiers: { ...SHOP, agentId: '§' } },
  userId: { identifiers: { ...SHOP, userId: '§' } },
}

describe.each(Object.entries(FIELDS))('a secret as %s', (_, fields) => {
  it('is redacted or refused, however it is sent, and never stored or answered', async () => {
    const { call, memory } = await openServer()
    const secret = `ghp_${random(36)}`
    const given = JSON.parse(JSON.stringify(fields).replaceAll('§', secret))
    const whole = { content: 'The tests need Redis', layer: 'project', identifiers: SHOP, ...given }
    const { layer, identifiers, session, ...candidate } = whole
    const { json } = await call('POST', '/api/memories', {
      body: { content: 'To be changed', layer, identifiers: SHOP },
    })
    const { identifiers: __, session: ___, ...patch } = given
    const answers = [
      await call('POST', '/api/memories', { body: whole }),
      await call('POST', '/api/memories/bulk', { body: { memories: [whole] } }),
      await call('POST', '/api/memories/remember', {
        body: { candidates: [{ ...candidate, category: 'learning' }], identifiers, layer, session },
      }),
      await call('PATCH', `/api/memories/${json.memory.id}`, { body: { importance: 3, ...patch } }),
    ]
    for (const { status, text } of answers) {
      expect(status).toBeLessThan(500)
      expect(text).not.toContain(secret)
    }
    expect((await Array.fromAsync(memory.export({ everything: true }))).join('\n')).not.toContain(secret)
  })
})

it('a token that a line break cuts in two is found before the lines become one', async () => {
  const { call, memory } = await openServer()
  const [left, right] = [`ghp_${random(16)}`, random(20)]
  for (const between of ['\n', '\r\n', '\r', ' \\\n    ']) {
    const metadata = { log: `${left}${between}${right}` }
    const body = { content: `The token is ${left}${between}${right}`, layer: 'project', identifiers: SHOP, metadata }
    const { json } = await call('POST', '/api/memories', { body })
    expect(json.memory.content).toMatch(/^The token is \[REDACTED:[\w-]+\]$/)
  }
  const kept = (await Array.fromAsync(memory.export({ everything: true }))).join('\n')
  expect(kept).not.toContain(left)
  expect(kept).not.toContain(right)
})

it('two lines of which neither is part of a token stay', async () => {
  const { call } = await openServer()
  const metadata = { log: 'Deploys take a minute\nrun 17\nsha 9f8e7d6c5b4a\nbuild 42' }
  const body = { content: 'Deploys take\na minute', layer: 'project', identifiers: SHOP, metadata }
  const { json } = await call('POST', '/api/memories', { body })
  expect(json.memory).toMatchObject({ content: 'Deploys take a minute', metadata })
})

it('why a run was not shown a memory, and how it was shown one, keep no secret', async () => {
  const { memory } = await openServer()
  const secret = `ghp_${random(36)}`
  const { id } = (await memory.add({ content: 'x y', layer: 'project', identifiers: SHOP })).memory
  const showing = { identifiers: SHOP, session: 's', entries: [{ memory: id, position: 0, tokens: 1 }] }
  await memory.recordShowing({ ...showing, format: 'file', omitted: [{ memory: id, reason: `its token ${secret}` }] })
  await expect(memory.recordShowing({ ...showing, format: secret })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    details: { field: 'format' },
  })
  expect((await Array.fromAsync(memory.export({ everything: true }))).join('\n')).not.toContain(secret)
})
