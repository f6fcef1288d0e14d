/** The server: requests per second, compared with a bare Hono route and the engine in a loop, in the same run. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digits, type Section, spread } from './report.ts'
import { Synthetic } from './synthetic.ts'

/** Short alternating rounds, so that disturbances affect all of them. */
const TURNS = 10
const TURN_MS = 250
const WIDTH = 16
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const synthetic = new Synthetic(3)
let number = 0

/** `cpu`: CPU milliseconds of the server per request. */
interface Measured {
  rate: number
  cpu: number
}

interface Target {
  port: number
  method: string
  path: string
  body?: () => unknown
  token?: string
}

/** Sends one request and resolves to its duration in milliseconds. */
function send({ port, method, path, body, token }: Target): Promise<number> {
  const text = body === undefined ? undefined : JSON.stringify(body())
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ agent, port, method, path, host: '127.0.0.1' },
      headers: {
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    })
    sent.on('response', (response) => {
      if (response.statusCode! >= 300) reject(new Error(`${method} ${path} answered ${response.statusCode}`))
      response.on('data', () => {}).on('end', () => resolve(performance.now() - start))
    })
    // The server may close an idle connection at the moment it is reused.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(send({ port, method, path, body, token } as Target))
      else reject(error)
    })
    sent.end(text)
  })
}

/** Requests per second from this many concurrent clients. */
async function rateOf(target: Target, ms = TURN_MS): Promise<number> {
  const end = performance.now() + ms
  let count = 0
  const client = async () => {
    while (performance.now() < end) {
      await send(target)
      count++
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, client))
  return (count / ms) * 1000
}

/** The 99th percentile in milliseconds of requests at a steady rate, whether or not earlier ones are answered. */
async function p99At(target: Target, perSecond: number, ms = 2000): Promise<number> {
  const times: Promise<number>[] = []
  const start = performance.now()
  while (performance.now() - start < ms) {
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond)
    while (times.length < due) times.push(send(target))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const sorted = (await Promise.all(times)).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)]!
}

async function ask<T>(child: ChildProcess, message: object): Promise<T> {
  child.send(message)
  return ((await once(child, 'message')) as [T])[0]
}

export async function benchServer(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const jsx = new URL('../scripts/jsx.mjs', import.meta.url).href
  const child = fork(join(import.meta.dirname, 'server-child.ts'), [join(folder, 'server.db')], {
    execArgv: ['--import', jsx],
  })
  const [ports] = (await once(child, 'message')) as [{ server: number; bare: number; token: string }]
  const { server: port, token } = ports
  const content = () => ({ layer: 'project', content: `Sent fact ${number++} ${synthetic.text(10)}` })
  const targets: Record<string, Target> = {
    list: { port, token, method: 'GET', path: '/api/memories?limit=20' },
    search: { port, token, method: 'POST', path: '/api/memories/search', body: () => ({ query: synthetic.text(6) }) },
    add: { port, token, method: 'POST', path: '/api/memories', body: content },
  }
  const bare: Record<string, Target> = {
    list: { port: ports.bare, method: 'GET', path: '/engine/list' },
    add: { port: ports.bare, method: 'POST', path: '/engine/add', body: content },
  }
  /** A route with a constant answer: the cost of HTTP itself. */
  const constant: Record<string, Target> = {
    list: { port: ports.bare, method: 'GET', path: '/list' },
    add: { port: ports.bare, method: 'POST', path: '/add', body: content },
  }
  const usage = () => ask<{ rss: number; cpu: number }>(child, { loop: 'usage' })
  /** Requests per second, and CPU time of the server per request. */
  const measure = async (target: Target, ms = TURN_MS): Promise<Measured> => {
    const before = await usage()
    const rate = await rateOf(target, ms)
    return { rate, cpu: ((await usage()).cpu - before.cpu) / ((rate * ms) / 1000) }
  }
  const measured: Record<
    string,
    { server: Measured; loop: Measured; bare: Measured | null; constant: Measured | null }
  > = {}
  for (const [name, target] of Object.entries(targets)) {
    const all = { server: [] as Measured[], loop: [] as Measured[], bare: [] as Measured[], constant: [] as Measured[] }
    for (let turn = 0; turn < TURNS; turn++) {
      // Warms the caches with the loop's memories, so that it gains nothing by running second.
      await rateOf(target, turn === 0 ? 1000 : 50)
      all.server.push(await measure(target))
      all.loop.push(await ask<Measured>(child, { loop: name, ms: TURN_MS }))
      if (bare[name]) all.bare.push(await measure(bare[name]))
      if (constant[name]) all.constant.push(await measure(constant[name]))
    }
    measured[name] = {
      server: middle(all.server)!,
      loop: middle(all.loop)!,
      bare: middle(all.bare),
      constant: middle(all.constant),
    }
  }
  const latency: Record<string, number> = {}
  for (const [name, target] of Object.entries(targets))
    latency[name] = await p99At(target, measured[name]!.server.rate / 2)
  const pages: Record<string, number> = {}
  for (const path of ['/', '/memories', '/memories?q=fact', '/sessions', '/events', '/search?q=fact', '/review']) {
    const page = { port, token, method: 'GET', path }
    await rateOf(page, 200)
    pages[path] = (await measure(page, 500)).cpu
  }
  const before = (await usage()).rss
  await rateOf(targets.list!, 10_000)
  const after = (await usage()).rss
  child.kill()
  await once(child, 'exit')
  agent.destroy()
  rmSync(folder, { recursive: true })
  // CPU time, which other programs and a slow disk do not change, unlike a rate.
  const part = (name: string, of: 'constant' | 'loop') => (100 * measured[name]![of]!.cpu) / measured[name]!.server.cpu
  const [slowest, slowestMs] = Object.entries(pages).reduce((a, b) => (b[1] > a[1] ? b : a))
  return {
    title: `The server, ${WIDTH} clients, 10,000 memories, with a token: requests a second`,
    rows: [
      ...Object.entries(measured).map(([name, { server, loop, bare: hono, constant: plain }]) => ({
        request: name,
        'a second': digits(server.rate, 0),
        'engine in a loop': digits(loop.rate, 0),
        'Hono over the engine': hono === null ? '-' : digits(hono.rate, 0),
        'Hono, a constant': plain === null ? '-' : digits(plain.rate, 0),
        'processor, ms': [server, loop, hono, plain]
          .map((each) => (each === null ? '-' : digits(each.cpu)))
          .join(' / '),
        'p99 at half the rate, ms': digits(latency[name]!, 1),
        'memory after 10 s of lists, MB':
          name === 'list' ? `${digits(before / 1e6, 0)} to ${digits(after / 1e6, 0)}` : '',
      })),
      ...Object.entries(pages).map(([path, cpu]) => ({ request: `page ${path}`, 'processor, ms': `${digits(cpu)}` })),
    ],
    checks: [
      // The engine's own rate shows the cost of HTTP. The constant route is for scale: even the engine alone is slower.
      share('list over HTTP, of the engine in a loop', part('list', 'loop'), 35),
      share('add over HTTP, of the engine in a loop', part('add', 'loop'), 35),
      share('search over HTTP, of the engine in a loop', part('search', 'loop'), 60),
      { claim: `the slowest page (${slowest}), processor`, measured: slowestMs, bar: 50, better: 'less', unit: 'ms' },
    ],
  }
}

function middle(turns: readonly Measured[]): Measured | null {
  if (turns.length === 0) return null
  return { rate: spread(turns.map(({ rate }) => rate)).median, cpu: spread(turns.map(({ cpu }) => cpu)).median }
}

function share(claim: string, measured: number, bar: number): Section['checks'][number] {
  return { claim: `${claim}, by processor`, measured, bar, better: 'more', unit: '%' }
}
