/** The server: requests a second against a bare Hono route and against the engine in a loop, all in the same run. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digits, type Section } from './report.ts'
import { Synthetic } from './synthetic.ts'

const TURNS = 2
const TURN_MS = 1000
const WIDTH = 16
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const synthetic = new Synthetic(3)
let number = 0

interface Target {
  port: number
  method: string
  path: string
  body?: () => unknown
  token?: string
}

/** Sends one request, and resolves to the milliseconds that it took. */
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
    // The server may close a connection that was idle in the very moment in which it is used again.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(send({ port, method, path, body, token } as Target))
      else reject(error)
    })
    sent.end(text)
  })
}

/** Requests a second, from so many clients at a time. */
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

/** The 99th percentile, in milliseconds, of requests that come at a steady rate, whether earlier ones are answered or not. */
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
    list: { port: ports.bare, method: 'GET', path: '/list' },
    add: { port: ports.bare, method: 'POST', path: '/add', body: content },
  }
  const usage = () => ask<{ rss: number; cpu: number }>(child, { loop: 'usage' })
  const rates = Object.fromEntries(
    Object.keys(targets).map((name) => [name, { server: 0, loop: 0, bare: 0, cpu: 0, loopCpu: 0 }]),
  )
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, target] of Object.entries(targets)) {
      const own = rates[name]!
      // What the last turn added is read into the caches first, so that the loop does not win by coming second.
      await rateOf(target, 500)
      const before = await usage()
      const rate = await rateOf(target)
      own.cpu += ((await usage()).cpu - before.cpu) / ((rate * TURN_MS) / 1000) / TURNS
      own.server = Math.max(own.server, rate)
      const loop = await ask<{ rate: number; cpu: number }>(child, { loop: name, ms: TURN_MS })
      own.loop = Math.max(own.loop, loop.rate)
      own.loopCpu += loop.cpu / TURNS
      if (bare[name]) own.bare = Math.max(own.bare, await rateOf(bare[name]))
    }
  }
  const latency: Record<string, number> = {}
  for (const [name, target] of Object.entries(targets)) latency[name] = await p99At(target, rates[name]!.server / 2)
  const before = (await usage()).rss
  await rateOf(targets.list!, 10_000)
  const after = (await usage()).rss
  child.kill()
  await once(child, 'exit')
  agent.destroy()
  rmSync(folder, { recursive: true })
  // An add waits for the disk; what reads is compared by the time of the processor, which other programs do not change as much.
  const part = (name: string) => (100 * rates[name]!.server) / rates[name]!.loop
  const cpuPart = (name: string) => (100 * rates[name]!.loopCpu) / rates[name]!.cpu
  return {
    title: `The server, ${WIDTH} clients, 10,000 memories, with a token: requests a second`,
    rows: Object.entries(rates).map(([name, { server, loop, bare: hono, cpu, loopCpu }]) => ({
      request: name,
      server: digits(server, 0),
      'engine in a loop': digits(loop, 0),
      'bare Hono route': hono === 0 ? '-' : digits(hono, 0),
      // Time of the processor tells more than requests a second where other programs run beside it.
      'processor, ms': `${digits(cpu)} (engine ${digits(loopCpu)})`,
      'p99 at half the rate, ms': digits(latency[name]!, 1),
      'memory after 10 s of lists, MB':
        name === 'list' ? `${digits(before / 1e6, 0)} to ${digits(after / 1e6, 0)}` : '',
    })),
    checks: [
      {
        claim: 'list over HTTP, of the engine in a loop, by processor',
        measured: cpuPart('list'),
        bar: 35,
        better: 'more',
        unit: '%',
      },
      { claim: 'add over HTTP, of the engine in a loop', measured: part('add'), bar: 35, better: 'more', unit: '%' },
      {
        claim: 'search over HTTP, of the engine in a loop, by processor',
        measured: cpuPart('search'),
        bar: 60,
        better: 'more',
        unit: '%',
      },
    ],
  }
}
