/** The cost of operations on DynamoDB: requests and units, as DynamoDB Local counts them and by Amazon's rule. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashingEmbedding } from '../src/embedding/hashing.ts'
import type { Nokosu } from '../src/engine/nokosu.ts'
import { openMemory } from '../src/engine/open-memory.ts'
import { createTables, dynamodbStorage } from '../src/storage/dynamodb/dynamodb-storage.ts'
import { TABLE_NAMES, TABLES } from '../src/storage/dynamodb/schema.ts'
import { startLocalServer } from '../test/dynamodb/local-server.ts'
import { type FaultyProxy, startProxy } from '../test/dynamodb/proxy.ts'
import type { Section } from './report.ts'

const NORI = { agentId: 'nori', projectId: 'shop' }
const RUNS = 1000
const DAYS = 30
/** Dollars for a million units on demand. */
const PRICE = { write: 0.625, read: 0.125 }
const text = (i: number) =>
  `Observation ${i}: ${'the checkout service waits for its queue before it starts '.repeat(2)}`.slice(0, 130)
const fact = (i: number) => ({
  exact: true,
  content: text(i),
  layer: 'agent' as const,
  identifiers: NORI,
  source: 'extraction' as const,
})

export async function benchDynamodbCosts(): Promise<Section> {
  const server = await startLocalServer()
  const proxy = await startProxy(server.endpoint)
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const options = { region: 'local', endpoint: server.endpoint, credentials, prefix: 'cost-' }
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-costs-'))
  try {
    await createTables({ ...options, ttl: false })
    const open = (endpoint: string) =>
      openMemory({ storage: dynamodbStorage({ ...options, endpoint }), embedding: hashingEmbedding(), relations: null })
    const [memory, other] = [await open(proxy.endpoint), await open(server.endpoint)]
    const rows = await measure(proxy, memory, other, () => open(proxy.endpoint))
    await Promise.all([memory.shutdown(), other.shutdown()])
    const runs = []
    for (let i = 0; i < 3; i++) runs.push(await measured(proxy, () => runAgent(proxy.endpoint, folder, i)))
    for (const [i, run] of runs.entries()) rows.push({ operation: `run with 3 learnings, number ${i + 1}`, ...run })
    return { title: 'What DynamoDB costs', rows: [...rows, ...monthOf(runs)], checks: [] }
  } finally {
    await proxy.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

interface Cost {
  requests: number
  commits: number
  read: number
  'write, counted': number
  'write, by the rule': number
}

async function measured(proxy: FaultyProxy, work: () => unknown): Promise<Cost> {
  let [rule, commits] = [0, 0]
  proxy.fate = ({ operation, body }) => {
    if (operation === 'TransactWriteItems') commits++
    rule += unitsOf(operation, body)
    return 'pass'
  }
  proxy.takeUnits()
  await work()
  const { requests, read, write } = proxy.takeUnits()
  return { requests, commits, read, 'write, counted': write, 'write, by the rule': rule }
}

async function measure(proxy: FaultyProxy, memory: Nokosu, other: Nokosu, open: () => Promise<Nokosu>) {
  const shop = memory.as(NORI)
  const rows: Section['rows'] = []
  const row = async (operation: string, work: () => unknown) =>
    rows.push({ operation, ...(await measured(proxy, work)) })
  await memory.add(fact(0))
  let number = 1
  const id = (await memory.add(fact(number++))).memory.id
  await row('add', () => memory.add(fact(number++)))
  await row('bulkAdd of 100', () => memory.bulkAdd(Array.from({ length: 100 }, () => fact(number++))))
  await row('get', () => shop.get(id))
  await row('update of a field', () => shop.update(id, { importance: 90 }))
  await row('update of the text', () => shop.update(id, { content: text(9999) }))
  await row('delete', () => shop.delete(id))
  await row('undelete', () => shop.restore(id))
  const fresh = (await open()).as(NORI)
  await row('first list of 50', () => fresh.list({ limit: 50 }))
  await row('search after it', () => fresh.search({ query: text(7) }))
  await other.add(fact(number++))
  await row('search after another process wrote', () => fresh.search({ query: text(7) }))
  const said = Array.from({ length: 5 }, () => ({
    content: text(number++),
    category: 'timing' as const,
    service: 'web',
  }))
  const cold = await open()
  await row('remember of 5, first of its process', () => cold.remember(said, { identifiers: NORI, session: 's' }))
  await cold.shutdown()
  return rows
}

/** As in a container. */
function runAgent(endpoint: string, folder: string, number: number): Promise<void> {
  const workspace = join(folder, `work-${number}`)
  mkdirSync(workspace)
  const lines = [1, 2, 3].map((i) => `echo "[MEMORY:timing:web] Run ${number} learned fact ${i} about the queue"`)
  const args = ['run', '--agent', 'nori', '--project', 'shop', '--workspace', workspace, '--store-timeout', '30']
  const env = {
    ...process.env,
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', NOKOSU_EMBEDDING: 'hashing', HOME: folder },
    NOKOSU_DB: `dynamodb://local?prefix=cost-&endpoint=${endpoint}`,
  }
  return new Promise((resolve, reject) => {
    const script = `: "$NOKOSU_CONTEXT"; ${lines.join('; ')}`
    const command = [join(import.meta.dirname, '../bin/nokosu.mjs'), ...args, '--', 'sh', '-c', script]
    const child = spawn(process.execPath, command, { env, stdio: 'ignore' })
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`nokosu run ended with ${code}`))))
  })
}

/** Amazon's rule for writes: two units for each item and KB of a transaction, one outside of it, and one for each entry of an index. */
function unitsOf(operation: string, body: Record<string, unknown>): number {
  if (operation === 'TransactWriteItems') {
    const items = body.TransactItems as Record<string, { TableName: string; Item?: object }>[]
    return items.reduce((sum, item) => sum + Object.values(item).reduce((own, each) => own + 2 * unitsFor(each), 0), 0)
  }
  if (operation !== 'BatchWriteItem') return 0
  const tables = Object.entries(body.RequestItems as Record<string, { PutRequest?: { Item: object } }[]>)
  return tables.reduce(
    (sum, [TableName, puts]) =>
      sum + puts.reduce((own, { PutRequest }) => own + unitsFor({ TableName, Item: PutRequest?.Item ?? {} }), 0),
    0,
  )
}

function unitsFor({ TableName, Item = {} }: { TableName: string; Item?: object }): number {
  const name = TABLE_NAMES.find((each) => TableName.endsWith(each))!
  const entries = Object.values(TABLES[name].indexes).filter((keys: readonly string[]) =>
    keys.every((key) => key in Item),
  )
  return Math.max(1, Math.ceil(sizeOf(Item) / 1024)) + entries.length / 2
}

/** Size of an item on the wire: names, strings, and bytes as base64. */
function sizeOf(item: object): number {
  return Object.entries(item as Record<string, { S?: string; B?: string }>).reduce((sum, [name, { S, B }]) => {
    return sum + name.length + (S === undefined ? 0 : Buffer.byteLength(S)) + (B === undefined ? 8 : B.length * 0.75)
  }, 0)
}

function monthOf(runs: readonly Cost[]): Section['rows'] {
  const mean = (name: keyof Cost) => Math.round(runs.reduce((sum, run) => sum + run[name], 0) / runs.length)
  const [read, write] = [mean('read') * RUNS * DAYS, mean('write, by the rule') * RUNS * DAYS]
  const dollars = ((write * PRICE.write + read * PRICE.read) / 1e6).toFixed(2)
  const operation = `20 agents, ${RUNS} runs a day, ${DAYS} days: ${dollars} dollars`
  return [
    { operation, requests: mean('requests') * RUNS * DAYS, read, 'write, counted': '-', 'write, by the rule': write },
  ]
}
