/** One cold search with its parts timed: `cold.ts` runs it as a separate process and reads the JSON it prints. */
const started = performance.now()
const { localEmbedding } = await import('../src/embedding/local.ts')
const { sqliteStorage } = await import('../src/storage/sqlite/sqlite-storage.ts')
const { fill: _, ...synthetic } = await import('./synthetic.ts')
const imported = performance.now()

const storage = sqliteStorage({ path: process.argv[2]! })
await storage.initialize(synthetic.MODEL)
const opened = performance.now()

const scopes = [{ layer: 'project' as const, owner: 'bench', projects: [null] }]
const where = { visibleAt: new Date().toISOString() }
const vector = new synthetic.Synthetic(3).clustered()
const query = { scopes, where, vector, tokens: [], limit: 40 }
const prepared = performance.now()
await storage.search([query])
const first = performance.now()
await storage.search([query])
const second = performance.now()
await storage.search([{ ...query, vector: null, tokens: ['w1a', 'code500', 'w9'] }])
const keyword = performance.now()

const model = localEmbedding()
await model.embed(['why is it slow to start?'])
const embedded = performance.now()
await storage.shutdown()

const ms = (value: number) => Number(value.toFixed(1))
console.log(
  JSON.stringify({
    imports: ms(imported - started),
    'open store': ms(opened - imported),
    'vectors ready': ms(first - prepared - (second - first)),
    'vector search': ms(second - first),
    'keyword search': ms(keyword - second),
    'model load': ms(embedded - keyword),
  }),
)
