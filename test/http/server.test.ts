import { readFileSync } from 'node:fs'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openMemory } from '../../src/engine/open-memory.ts'
import { createServer } from '../../src/http/server.ts'
import { MemoryError } from '../../src/model/errors.ts'
import { createLogger } from '../../src/observe/log.ts'
import { startTelemetry } from '../../src/observe/telemetry.ts'
import { withMethods } from '../../src/storage/handle.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { finish, startCli, workspace } from '../surfaces/run-cli.ts'
import { OPERATOR_KEY } from './open-server.ts'

const PROJECT = { layer: 'project' as const, identifiers: { projectId: 'shop' } }

const SPOOLED = { file: 'a', bytes: 9, since: '2026-03-01T00:00:00.000Z', state: 'waits' as const }

async function openApp() {
  const metrics = await startTelemetry()
  const calls: string[] = []
  const broken = { now: false }
  const storage = new Proxy(referenceStorage(), {
    get(target, name, receiver) {
      if (name === 'pool') return () => ({ used: 1, idle: 2, waiting: 0 })
      const value: unknown = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        calls.push(String(name))
        if (broken.now) throw new MemoryError('PROVIDER_ERROR', 'gone', { retryable: false })
        return value.apply(target, args)
      }
    },
  })
  const engine = await openMemory({ storage, embedding: { kind: 'hashing' } })
  onTestFinished(async () => {
    await close()
    await engine.shutdown()
    await metrics.close()
  })
  const { app, close } = createServer(engine, {
    metrics,
    log: createLogger('silent'),
    store: '/some/where.db',
    command: 'nokosu',
    project: null,
    heldBack: async () => ({ providers: [], spool: [SPOOLED] }),
    host: '127.0.0.1',
    requireToken: false,
    operatorKey: OPERATOR_KEY,
  })
  const get = (path: string, host = 'localhost:4816') =>
    app.request(path, { headers: { host, authorization: `Bearer ${OPERATOR_KEY}` } })
  return { engine, calls, broken, get, read: async (path: string) => (await get(path)).text() }
}

describe('the page', () => {
  it('welcomes to an empty store', async () => {
    const { read } = await openApp()
    const page = await read('/')
    expect(page).toContain('There are no memories yet')
    expect(page).toContain('Load the demo data')
  })

  it('escapes what is stored', async () => {
    const { engine, read } = await openApp()
    await engine.add({ ...PROJECT, content: '<img src=x onerror=alert(1)> "q" \u202E', service: '<b>bold</b>' })
    for (const path of ['/', '/memories', '/search?q=x&threshold=0', '/cooldowns']) {
      const page = await read(path)
      expect(page, path).not.toMatch(/<img src=x|<b>bold/)
    }
    expect(await read('/')).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;q&quot;')
  })

  it('allows nothing inline and nothing from elsewhere; what it loads may be kept for good', async () => {
    const { get } = await openApp()
    for (const path of ['/', '/memories', '/login', '/nowhere']) {
      const response = await get(path)
      expect(response.headers.get('content-security-policy')).toMatch(
        /default-src 'none'; script-src 'self'; style-src 'self'/,
      )
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(await response.text(), path).not.toMatch(
        /https?:\/\/(?!localhost)|style="|<script(?! src="\/)|<style|\son\w+=/,
      )
    }
    const [style] = /\/assets\/[^"]+style\.css/.exec(await (await get('/')).text()) ?? []
    expect((await get(style!)).headers.get('cache-control')).toContain('immutable')
    expect((await get('/assets/000000000000/style.css')).status).toBe(404)
  })

  it('answers to this machine’s names only', async () => {
    const { get } = await openApp()
    expect((await get('/', 'rebound.example')).status).toBe(403)
    expect((await get('/', 'localhost.example')).status).toBe(403)
    for (const host of ['127.0.0.1:4816', 'localhost', '[::1]:4816']) expect((await get('/', host)).status).toBe(200)
  })
})

describe('for machines', () => {
  it('healthz says that the process lives, readyz whether the store answers', async () => {
    const { broken, get } = await openApp()
    expect(await (await get('/readyz')).json()).toMatchObject({ status: 'healthy', problems: [] })
    broken.now = true
    const ready = await get('/readyz')
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({ status: 'unhealthy', problems: ['gone'] })
    const alive = await get('/healthz')
    expect(alive.status).toBe(200)
    expect(await alive.json()).toMatchObject({ status: 'alive' })
    broken.now = false
  })

  it('[D26] [D27] [D28] metrics count operations, results, sizes and errors', async () => {
    const { engine, read } = await openApp()
    await engine.add({ ...PROJECT, content: 'The cache is warm after a minute' })
    await engine.add({ ...PROJECT, content: 'Deployments happen on Tuesdays' })
    await engine.search({ query: 'cache', identifiers: PROJECT.identifiers, mode: 'keyword', threshold: 0 })
    await engine.get('unknown', { identifiers: PROJECT.identifiers })
    await expect(engine.add({ ...PROJECT, content: '' })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(engine.update('unknown', { content: 'x' }, { everything: true })).rejects.toMatchObject({
      code: 'MEMORY_NOT_FOUND',
    })
    const lines = (await read('/metrics')).split('\n')
    const value = (name: string, ...labels: string[]) =>
      lines
        .find((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
        ?.split(' ')
        .at(-1)
    expect(value('memory_operations_total', 'operation="add"')).toBe('3')
    expect(value('memory_operations_total', 'operation="search"')).toBe('1')
    expect(value('memory_operations_latency_count', 'operation="add"')).toBe('3')
    expect(Number(value('memory_operations_latency_sum', 'operation="add"'))).toBeGreaterThan(0)
    expect(value('memory_search_results_sum', 'layer="project"')).toBe('1')
    expect(value('memory_storage_size', 'layer="project"')).toBe('2')
    expect(value('memory_operations_errors_total', 'code="INVALID_INPUT"')).toBe('1')
    expect(value('memory_operations_errors_total', 'code="MEMORY_NOT_FOUND"')).toBe('1')
  })

  it('metrics count requests by route and status, and say how the pool, the spool, retries and the process are', async () => {
    const { engine, broken, read, get } = await openApp()
    await engine.add({ ...PROJECT, content: 'The cache is warm after a minute' })
    await engine.add({ ...PROJECT, content: 'The cache is warm after a minute' })
    const { memories } = await engine.list({ everything: true })
    await get(`/api/memories/${memories[0]!.id}`)
    await get('/api/memories/unknown')
    await get('/nowhere')
    broken.now = true
    await get('/readyz')
    broken.now = false
    const lines = (await read('/metrics')).split('\n')
    const value = (name: string, ...labels: string[]) => {
      const line = lines.find((each) => each.startsWith(name) && labels.every((label) => each.includes(`${label}"`)))
      return Number(line?.split(' ').at(-1))
    }
    const requests = (route: string, status: string) =>
      value('http_server_request_duration_count{', `route="${route}`, `status="${status}`)
    expect(requests('/api/memories/:id', '200')).toBe(1)
    expect(requests('/api/memories/:id', '404')).toBe(1)
    expect(requests('none', '404')).toBe(1)
    expect(requests('/readyz', '503')).toBe(1)
    expect(value('http_server_request_duration_bucket{', 'route="/api/memories/:id', 'le="30')).toBe(1)
    expect(lines.join()).not.toContain(memories[0]!.id)
    expect(value('memory_pool_connections{', 'state="idle')).toBe(2)
    expect(value('memory_spool_records{', 'state="waits')).toBe(1)
    expect(value('memory_retries_total{', 'of="store')).toBe(0)
    expect(value('memory_embedding_texts_total{', 'source="model')).toBe(1)
    expect(value('memory_embedding_texts_total{', 'source="process')).toBeGreaterThan(0)
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(value('process_start_time_seconds')).toBeGreaterThan(1_700_000_000)
    expect(value('nodejs_eventloop_utilization')).toBeLessThanOrEqual(1)
  })

  it('metrics count a call that is tried again', async () => {
    const metrics = await startTelemetry()
    const storage = referenceStorage()
    let failures = 2
    const flaky = withMethods(storage, {
      async sessions(query) {
        if (failures-- > 0) throw new MemoryError('PROVIDER_ERROR', 'busy', { retryable: true })
        return storage.sessions(query)
      },
    })
    const engine = await openMemory({ storage: flaky, embedding: { kind: 'hashing' }, retry: { baseMs: 0 } })
    onTestFinished(async () => {
      await engine.shutdown()
      await metrics.close()
    })
    await engine.sessions({ everything: true })
    expect(await metrics.collect()).toMatch(/^memory_retries_total\{of="store".*\} 2$/m)
  })

  it('the Grafana dashboard asks for measurements that there are', async () => {
    const { engine, read } = await openApp()
    await engine.add({ ...PROJECT, content: 'The cache is warm after a minute' })
    await engine.search({ query: 'cache', identifiers: PROJECT.identifiers })
    await expect(engine.add({ ...PROJECT, content: '' })).rejects.toThrow()
    await read('/api/overview')
    const there = new Set((await read('/metrics')).match(/^\w+/gm))
    const dashboard = readFileSync(join(import.meta.dirname, '../../docs/grafana-dashboard.json'), 'utf8')
    const asked = new Set<string>()
    for (const { targets } of JSON.parse(dashboard).panels)
      for (const { expr } of targets) for (const name of expr.match(/\b[a-z]+_\w+(?=\{)/g)) asked.add(name)
    expect([...asked].filter((name) => !there.has(name))).toEqual([])
    expect(asked.size).toBeGreaterThan(13)
  })

  it('a scrape reads the counters, and no memory', async () => {
    const { engine, calls, read } = await openApp()
    await engine.add({ ...PROJECT, content: 'The cache is warm after a minute' })
    calls.length = 0
    expect(await read('/metrics')).toMatch(/^memory_storage_size\{layer="project".*\} 1$/m)
    expect(calls).toEqual(['stats'])
  })
})

describe('nokosu serve', () => {
  it('serves, says where, and stops cleanly', async () => {
    const { folder, json } = workspace()
    await json(['add', '--project', 'shop', 'Served from the store'])
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const child = startCli(['serve', '--port', '0', '--json'], { cwd: folder })
      const ended = finish(child)
      const [line] = await new Promise<[string]>((resolve) => child.stdout!.once('data', (part) => resolve([part])))
      const { url, operatorKeyFile } = JSON.parse(line) as { url: string; operatorKeyFile: string }
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      const headers = { authorization: `Bearer ${readFileSync(operatorKeyFile, 'utf8').trim()}` }
      expect(await (await fetch(url, { headers })).text()).toContain('Served from the store')
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^memory_operations_total\{operation="list"/m)
      child.kill(signal)
      expect(await ended).toMatchObject({ code: 0, stderr: '' })
    }
    expect(await json(['list', '--project', 'shop'])).toMatchObject({ totalCount: 1 })
  })

  it('greets with what to do next', async () => {
    const { folder } = workspace()
    const child = startCli(['serve', '--port', '0'], { cwd: folder })
    const ended = finish(child)
    child.stdout!.on('data', (part: string) => {
      if (part.includes('doctor')) child.kill('SIGINT')
    })
    const { code, stdout } = await ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Nokosu is at http:\/\/127\.0\.0\.1:\d+ /)
    expect(stdout.match(/nokosu (add|search|doctor)/g)).toEqual(['nokosu add', 'nokosu search', 'nokosu doctor'])
    expect(stdout).toContain(join(folder, '.nokosu/memory.db'))
  })

  it('refuses a port that is taken, and another host without a token', async () => {
    const { failure } = workspace()
    const other = createTcpServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const taken = await failure(['serve', '--port', String(port)])
    other.close()
    expect(taken).toMatchObject({ exit: 3, message: expect.stringContaining(`Another program uses port ${port}`) })
    expect(await failure(['serve', '--host', '0.0.0.0'])).toMatchObject({
      exit: 3,
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('token create'),
    })
    expect(await failure(['serve', '--port', '99999'])).toMatchObject({ exit: 2 })
  })
})
