/** The server for `server.ts`, a bare Hono route and the engine itself, in a separate process. */
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { openMemory } from '../src/engine/open-memory.ts'
import { createServer } from '../src/http/server.ts'
import { createLogger } from '../src/observe/log.ts'
import { startTelemetry } from '../src/observe/telemetry.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { fill, instantEmbedding, PROJECT, Synthetic } from './synthetic.ts'

const SIZE = 10_000
const metrics = await startTelemetry()
const storage = sqliteStorage({ path: process.argv[2]! })
const memory = await openMemory({ storage, embedding: instantEmbedding(), relations: null })
await fill(storage, SIZE)
const { secret } = await memory.tokens.create({ name: 'bench', scope: 'write', identifiers: PROJECT })
const { app } = createServer(memory, {
  ...{ metrics, log: createLogger('silent'), store: 'bench', command: 'nokosu', project: null, host: '127.0.0.1' },
  ...{ requireToken: true, rate: null },
})

const own = memory.as(PROJECT)
const page = await own.list({ limit: 20 })
const added = await own.add({ exact: true, layer: 'project', content: 'The first of the benchmark' })
const bare = new Hono()
bare.get('/list', (context) => context.json(page))
bare.post('/add', async (context) => {
  await context.req.json()
  return context.json(added, 201)
})

// The same work behind bare Hono: no token, checks, headers or log.
bare.get('/engine/list', async (context) => context.json(await own.list({ limit: 20 })))
bare.post('/engine/add', async (context) => context.json(await own.add(await context.req.json()), 201))

async function listen(fetch: Parameters<typeof createAdaptorServer>[0]['fetch']): Promise<number> {
  const server = createAdaptorServer({ fetch })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const synthetic = new Synthetic(9)
let number = 0
const LOOPS: Record<string, () => Promise<unknown>> = {
  list: () => own.list({ limit: 20 }),
  search: () => own.search({ query: `${synthetic.text(6)}`, limit: 10 }),
  add: () => own.add({ exact: true, layer: 'project', content: `Looped fact ${number++} ${synthetic.text(10)}` }),
}

// Exits with its parent.
process.on('disconnect', () => process.exit())
process.on('message', async ({ loop, ms }: { loop: string; ms: number }) => {
  if (loop === 'usage') return process.send!({ rss: process.memoryUsage().rss, cpu: cpuMs() })
  const end = performance.now() + ms
  const before = cpuMs()
  let calls = 0
  while (performance.now() < end) {
    await LOOPS[loop]!()
    calls++
  }
  process.send!({ rate: (calls / ms) * 1000, cpu: (cpuMs() - before) / calls })
})
process.send!({ server: await listen(app.fetch), bare: await listen(bare.fetch), token: secret })
