import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'nokosu-package-'))
const consumer = join(folder, 'consumer')
const installed = join(consumer, 'node_modules', 'nokosu')

// Processes and a compiler, on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 120_000 })

function run(command: string, args: string[], cwd: string, home = folder): string {
  // A home of its own, so that no setting of this machine helps.
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', NOKOSU_LOG: 'error' }
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { message, stdout } = error as Error & { stdout?: string }
    throw new Error(`${message}\n${stdout ?? ''}`, { cause: error })
  }
}

/** npm finds its registry and its cache where this machine has them. */
function npm(args: string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

const program = join(consumer, 'node_modules/.bin/nokosu')
const nokosu = (...args: string[]) => run(program, args, consumer)

/** Packed from a copy, so that the checkout's own build is left alone; installed in an empty folder, without install scripts. */
/** What is in the archive: each file, of what the build makes the place. */
let contents: string[] = []

function placeOf(path: string): string {
  return (
    path
      .replace(/^(dist\/types)\/.*$/, '$1/')
      .replace(/-[\w-]{8}\.js/, '-HASH.js')
      .replace(/^dist\/chunks\/.*$/, 'dist/chunks/')
      // Their names are nobody's business here: what kind of file is.
      .replace(/^(docs|examples|dist\/assets)\/.*(\.\w+)$/, '$1/*$2')
  )
}

beforeAll(() => {
  const copy = join(folder, 'copy')
  const files = run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], root).trim().split('\n')
  for (const file of files.filter((name) => existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // As in a checkout whose examples were run.
  mkdirSync(join(copy, 'examples/node_modules/ai'), { recursive: true })
  writeFileSync(join(copy, 'examples/node_modules/ai/index.js'), '')
  const [packed] = JSON.parse(npm(['pack', '--json', '--loglevel=error'], copy).replace(/^[^[{]*/, '')) as {
    filename: string
    files: { path: string }[]
  }[]
  contents = [...new Set(packed!.files.map(({ path }) => placeOf(path)))].sort()
  mkdirSync(consumer)
  writeFileSync(join(consumer, 'package.json'), '{"type": "module"}')
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  npm(['install', ...flags, join(copy, packed!.filename)], consumer)
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('runs as installed: adds, finds by meaning with the model it brings, shows it to an agent, and says its version', () => {
  nokosu('add', '--project', 'shop', 'The staging database is wiped every night')
  const { results } = JSON.parse(
    nokosu('search', '--project', 'shop', 'when is test data lost?', '--threshold', '0.6', '--json'),
  )
  expect(results[0].memory.content).toBe('The staging database is wiped every night')
  expect(nokosu('context', '--project', 'shop')).toContain('- [learning] The staging database is wiped every night')
  expect(nokosu('--version').trim()).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
})

it('as installed it sets up agents, and undoes that', () => {
  const home = join(folder, 'setup-home')
  const clients = ['codex', 'cursor'].flatMap((name) => ['--only', name])
  mkdirSync(home)
  const setup = (...args: string[]) =>
    JSON.parse(run(program, ['setup', ...clients, '--yes', '--json', ...args], consumer, home))
  expect(setup().applied).toBe(true)
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toContain('[mcp_servers.nokosu]')
  expect(setup('--undo').applied).toBe(true)
  expect(readdirSync(home)).toEqual([])
})

it('works without the native runtime, broken or absent, and doctor names the one in use', () => {
  const runtime = () => /^ok +runtime +(\S+)/m.exec(nokosu('doctor'))?.[1]
  const native = join(consumer, 'node_modules/onnxruntime-node')
  // Where the registry has no native runtime for this machine, there is none to break.
  const isThere = existsSync(native)
  if (isThere) {
    expect(runtime()).toBe('onnxruntime-node')
    renameSync(native, `${native}.away`)
    mkdirSync(native)
    writeFileSync(join(native, 'package.json'), '{"name": "onnxruntime-node", "main": "index.js"}')
    writeFileSync(join(native, 'index.js'), 'throw new Error("invalid ELF header")')
  }
  expect(runtime()).toBe('onnxruntime-web')
  rmSync(native, { recursive: true, force: true })
  const { results } = JSON.parse(nokosu('search', '--project', 'shop', 'what is wiped at night?', '--json'))
  expect(results).toHaveLength(1)
  if (isThere) renameSync(`${native}.away`, native)
})

it('the library example that it brings runs beside it', () => {
  cpSync(join(installed, 'examples/library/main.ts'), join(consumer, 'example.ts'))
  const place = join(folder, 'example')
  mkdirSync(place)
  expect(run(process.execPath, [join(consumer, 'example.ts')], place)).toMatch(/^monday: shown 0.*\ntuesday: shown 1/)
})

/** They extend classes of the framework, which is the user's to install. */
const OF_A_FRAMEWORK = ['./langgraph', './openai-agents']

it('every entry point can be imported, and the root pulls in neither a backend nor the model', () => {
  const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string } | string>
  }
  for (const target of Object.values(exports)) {
    if (typeof target !== 'string') expect(existsSync(join(installed, target.types)), target.types).toBe(true)
  }
  // The conformance kit needs a test runner around it.
  const entries = Object.keys(exports).filter(
    (name) => !name.endsWith('.json') && !['./testing', ...OF_A_FRAMEWORK].includes(name),
  )
  for (const entry of entries) {
    const names = run(
      process.execPath,
      ['--input-type=module', '-e', `console.log(Object.keys(await import('nokosu${entry.slice(1)}')).length)`],
      consumer,
    )
    expect(Number(names), entry).toBeGreaterThan(0)
  }
  const loaded = run(
    process.execPath,
    ['--input-type=module', '-e', `await import('nokosu'); console.log(process.moduleLoadList.join(' '))`],
    consumer,
  )
  expect(loaded).not.toContain('NativeModule sqlite')
})

it('is typed: a consumer’s program, an ES module, compiles against the declarations', () => {
  writeFileSync(
    join(consumer, 'main.ts'),
    `import { MemoryError, openMemory, type CaptureReport, type Context, type EmbeddingProvider, type Memory } from 'nokosu'
import type { NokosuConfig, Outcome, OwnMemories } from 'nokosu'
import { createAgentMemory } from 'nokosu/compat'
import { fromProvider } from 'nokosu/provider'
import { type Commit, type CommitResult, registerStore, type Storage, type StoredMemory } from 'nokosu/storage'
import { hashingEmbedding } from 'nokosu/embedding/hashing'
import { referenceStorage } from 'nokosu/storage/reference'
import { sqliteStorage } from 'nokosu/storage/sqlite'
const embedding: EmbeddingProvider = hashingEmbedding()
const memory = await openMemory({ storage: sqliteStorage({ path: ':memory:' }), embedding })
const identifiers = { projectId: 'p' }
const added: { memory: Memory } = await memory.add({ content: 'x', layer: 'project', identifiers })
// @ts-expect-error: there is no such layer
await memory.add({ content: 'x', layer: 'galaxy', identifiers }).catch((error: MemoryError) => error.code)
// @ts-expect-error: the team layer needs teamId
await memory.add({ content: 'x', layer: 'team', identifiers }).catch((error: MemoryError) => error.code)
// @ts-expect-error: nobody is named
await memory.list({}).catch((error: MemoryError) => error.code)
// @ts-expect-error: the query format needs a query
await memory.context({ identifiers, format: 'query' }).catch((error: MemoryError) => error.code)
const own: OwnMemories = memory.as(identifiers)
const context: Context = await own.context({ format: 'query', query: 'x' })
const report: CaptureReport = await own.capture('[MEMORY:timing] Takes 5 s', { format: 'text' })
const contents = report.outcomes.map((outcome: Outcome) => (outcome.kind === 'insert' ? outcome.memory.content : outcome.reason))
const storage: Storage = referenceStorage()
await storage.initialize({ name: embedding.name, dimensions: embedding.dimensions })
const commit: Commit = { key: 'k', at: '2026-01-01T00:00:00.000Z', by: 'me', writes: [] }
const result: CommitResult = await storage.commit(commit)
const found: StoredMemory[] = await storage.get([added.memory.id])
registerStore('mine', () => referenceStorage())
await fromProvider(memory).search('x', { identifiers })
await createAgentMemory(memory, { scope: 'project', identifiers, eventType: 'hint', source: 'system', summary: 'x' })
const config = { project: 'p' } satisfies NokosuConfig
console.log(context.text, contents, result.applied, found.length, config.project)
await memory.shutdown()
`,
  )
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
    '--skipLibCheck',
    'false',
  ]
  run(join(root, 'node_modules', '.bin', 'tsc'), [...options, 'main.ts'], consumer)
  expect(run(process.execPath, ['main.ts'], consumer)).toContain("[ 'Takes 5 s' ] true 0 p")
})

it('holds what it needs and no source, tests or evaluation', () => {
  const top = readdirSync(installed)
  expect(top).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'agents', 'bin', 'dist', 'examples', 'models']))
  for (const name of ['src', 'test', 'eval', 'bench', 'scripts']) expect(top).not.toContain(name)
  expect(existsSync(join(installed, 'examples/node_modules'))).toBe(false)
})

it('the archive holds what test/package/contents.txt lists, and nothing else', () => {
  const file = join(root, 'test/package/contents.txt')
  const found = `${contents.join('\n')}\n`
  if (process.env.NOKOSU_WRITE_DOCS) writeFileSync(file, found)
  else expect(found, 'meant? run this test with NOKOSU_WRITE_DOCS=1').toBe(readFileSync(file, 'utf8'))
})
