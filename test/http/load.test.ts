import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { workspace } from '../surfaces/run-cli.ts'
import { inParallel, type Started, startServer } from './start-server.ts'

const PARALLEL = Number(process.env.NOKOSU_PARALLEL ?? 400)

async function start(folder: string): Promise<Started> {
  const server = await startServer(folder)
  onTestFinished(() => void server.child.kill('SIGKILL'))
  return server
}

const body = (content: string) =>
  JSON.stringify({ layer: 'project', identifiers: { projectId: 'shop' }, content, exact: true })

function add(url: string, content: string, key: string): Promise<Response> {
  return fetch(`${url}/api/memories`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: body(content),
  })
}

async function contents(url: string): Promise<string[]> {
  const found: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const response = await fetch(
      `${url}/api/memories?projectId=shop&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    const page = (await response.json()) as { memories: { content: string }[]; nextCursor: string | null }
    found.push(...page.memories.map(({ content }) => content))
    cursor = page.nextCursor
  }
  return found.sort()
}

/** A request as bytes, so that a client can send a part of it. */
function rawPost(content: string): { head: string; rest: string } {
  const text = body(content)
  const lines = [
    'POST /api/memories HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  const whole = `${lines.join('\r\n')}\r\n\r\n${text}`
  return { head: whole.slice(0, -10), rest: whole.slice(-10) }
}

/** True when nothing listens there any more. */
function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect')
    .then(
      () => false,
      () => true,
    )
    .finally(() => socket.destroy())
}

describe('a server that is stopped', () => {
  it('ends the requests that it has, takes no others, and leaves with 0', async () => {
    const { folder } = workspace()
    const { child, port, ended } = await start(folder)
    const socket = connect(port, '127.0.0.1')
    const idle = connect(port, '127.0.0.1')
    await Promise.all([once(socket, 'connect'), once(idle, 'connect')])
    const { head, rest } = rawPost('Half of it came before the stop')
    socket.write(head)
    // A later request on another connection proves that the partial one was read.
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    child.kill('SIGTERM')
    await expect.poll(() => isRefused(port)).toBe(true)
    socket.write(rest)
    const [answer] = (await once(socket.setEncoding('utf8'), 'data')) as [string]
    expect(answer).toMatch(/^HTTP\/1\.1 201/)
    // An idle connection does not delay shutdown.
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    idle.destroy()
  })
})

describe('a server that is killed', () => {
  it('has everything that it said it has, and nothing twice when the rest is sent again', async () => {
    const { folder } = workspace()
    const first = await start(folder)
    const items = Array.from({ length: 600 }, (_, i) => `Fact number ${i}`)
    const acknowledged = new Set<string>()
    let sent = 0
    await inParallel(items, 16, async (content) => {
      if (++sent === 300) first.child.kill('SIGKILL')
      const response = await add(first.url, content, content).catch(() => null)
      if (response?.status === 201) acknowledged.add(content)
    })
    expect(acknowledged.size).toBeGreaterThan(50)
    expect(acknowledged.size).toBeLessThan(600)
    const second = await start(folder)
    const kept = new Set(await contents(second.url))
    for (const content of acknowledged) expect(kept, content).toContain(content)
    await inParallel(items, 16, async (content) => {
      const response = await add(second.url, content, content)
      expect(response.status, await response.text()).toBe(201)
    })
    expect(await contents(second.url)).toEqual([...items].sort())
  })
})

describe('two servers on one file', () => {
  it('store what is sent to both with one key once, and see each other’s changes', async () => {
    const { folder } = workspace()
    const [one, two] = await Promise.all([start(folder), start(folder)])
    const items = Array.from({ length: 150 }, (_, i) => `Fact number ${i}`)
    await inParallel(items, 12, async (content) => {
      const answers = await Promise.all([add(one.url, content, content), add(two.url, content, content)])
      const [a, b] = await Promise.all(answers.map((each) => each.json() as Promise<{ memory: { id: string } }>))
      expect(a!.memory.id).toBe(b!.memory.id)
    })
    expect(await contents(one.url)).toEqual([...items].sort())
    expect(await contents(two.url)).toEqual([...items].sort())
  })
})

describe('clients that behave badly', () => {
  it('many at once, slow ones and ones that leave in the middle: the others are served', async () => {
    const { folder } = workspace()
    const { url, port, child } = await start(folder)
    // Slow clients hold a connection and send nothing more.
    const slow = Array.from({ length: 30 }, () => connect(port, '127.0.0.1'))
    await Promise.all(slow.map((socket) => once(socket, 'connect')))
    for (const [i, socket] of slow.entries()) {
      socket.on('error', () => {})
      socket.write(i % 2 === 0 ? 'POST /api/memories HT' : rawPost('Never told to the end').head)
    }
    // Others disconnect before the answer.
    const leaving = Array.from({ length: 50 }, (_, i) => {
      const gone = new AbortController()
      setTimeout(() => gone.abort(), i % 20)
      return fetch(`${url}/api/memories/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'anything', identifiers: { projectId: 'shop' } }),
        signal: gone.signal,
      }).then(
        (response) => response.text(),
        () => {},
      )
    })
    const statuses: Record<number, number> = {}
    await Promise.all(
      Array.from({ length: PARALLEL }, async (_, i) => {
        const response = await (i % 4 === 0
          ? add(url, `Fact ${i}`, `${i}`)
          : fetch(`${url}/api/memories?projectId=shop&limit=5`))
        await response.arrayBuffer()
        statuses[response.status] = (statuses[response.status] ?? 0) + 1
      }),
    )
    await Promise.all(leaving)
    expect(statuses).toEqual({ 200: PARALLEL - Math.ceil(PARALLEL / 4), 201: Math.ceil(PARALLEL / 4) })
    for (const socket of slow) socket.destroy()
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect((await contents(url)).filter((content) => content.startsWith('Never'))).toEqual([])
    expect(child.exitCode).toBeNull()
  })

  it('what is no HTTP gets the shape of every failure', async () => {
    const { folder } = workspace()
    const { port } = await start(folder)
    const say = async (text: string) => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8')
      socket.write(text)
      return ((await once(socket, 'data')) as [string])[0]
    }
    expect(await say('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400[\s\S]*\{"error":\{"code":"INVALID_INPUT"/)
    expect(await say(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431[\s\S]*"error"/)
    expect(await say('TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatch(/^HTTP\/1\.1 4\d\d/)
    expect(await say('GET http://[::1 HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatch(/^HTTP\/1\.1 4\d\d/)
    expect(await say('GET /api/memories/%E0%A4%A HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatch(/^HTTP\/1\.1 404/)
  })
})
