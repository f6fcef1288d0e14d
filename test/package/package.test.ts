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
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { nativePackages, writeNativePackage } from '../../scripts/onnx-packages.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'nokosu-package-'))
const consumer = join(folder, 'consumer')
const installed = join(consumer, 'node_modules', 'nokosu')

// Processes and a compiler on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 120_000 })

function run(command: string, args: string[], cwd: string, home = folder): string {
  // A separate home, so that no setting of this machine has an effect.
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', NOKOSU_LOG: 'error' }
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { message, stdout } = error as Error & { stdout?: string }
    throw new Error(`${message}\n${stdout ?? ''}`, { cause: error })
  }
}

/** npm uses this machine's registry and cache. */
function npm(args: string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

const program = join(consumer, 'node_modules/.bin/nokosu')
const nokosu = (...args: string[]) => run(program, args, consumer)

/** Files in the archive; build outputs only by folder. */
let contents: string[] = []
let archive = 0

/** The native code for this machine, if there is any. */
const native = `@nokosu/onnx-${process.platform}-${process.arch}`
const hasNative = native in nativePackages()

function placeOf(path: string): string {
  return (
    path
      .replace(/^(dist\/types)\/.*$/, '$1/')
      .replace(/-[\w-]{8}\.js/, '-HASH.js')
      .replace(/^dist\/chunks\/.*$/, 'dist/chunks/')
      // Only the kind of file matters here, not the name.
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
  // As after running the examples in a checkout.
  mkdirSync(join(copy, 'examples/node_modules/ai'), { recursive: true })
  writeFileSync(join(copy, 'examples/node_modules/ai/index.js'), '')
  const packed = pack(copy)
  contents = [...new Set(packed.files.map(({ path }) => placeOf(path)))].sort()
  archive = packed.size
  mkdirSync(consumer)
  writeFileSync(join(consumer, 'package.json'), '{"type": "module"}')
  install(join(copy, packed.filename))
  // Installs the package that the script makes. Before the first release the registry has none, and later it has an older one.
  if (hasNative) {
    const made = writeNativePackage(native.replace('@nokosu/onnx-', ''), folder)
    install(join(made, pack(made).filename))
  }
}, 300_000)

/** Packed from a copy to leave the checkout's build alone; installed in an empty folder, without install scripts. */
function pack(place: string): { filename: string; size: number; files: { path: string }[] } {
  // Output of its scripts comes first.
  const [packed] = JSON.parse(npm(['pack', '--json', '--loglevel=error'], place).replace(/^[^[{]*/, ''))
  return packed
}

function install(tarball: string): void {
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  npm(['install', ...flags, tarball], consumer)
}

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

/** What a command loads of the package, and of these modules of Node's, which cost a good part of a start. */
function loadedBy(...args: string[]): string[] {
  const [hook, report] = [join(folder, 'loaded.mjs'), join(folder, 'loaded.json')]
  const costly = ['crypto', 'child_process', 'fs/promises', 'worker_threads', 'perf_hooks']
  writeFileSync(
    hook,
    `import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
const files = []
const note = (url) => url.includes('/nokosu/dist/') && files.push(url.split('/dist/')[1].replace(/-[\\w-]{8}\\.js$/, '.js'))
registerHooks({ load: (url, context, next) => (note(url), next(url, context)) })
process.on('exit', () => {
  const costly = ${JSON.stringify(costly)}.filter((name) => process.moduleLoadList.includes('NativeModule ' + name))
  writeFileSync(${JSON.stringify(report)}, JSON.stringify([...files, ...costly]))
})`,
  )
  run(process.execPath, ['--import', hook, join(installed, 'bin/nokosu.mjs'), ...args], consumer)
  return JSON.parse(readFileSync(report, 'utf8')) as string[]
}

it('a command loads what it uses: few files, and neither zod, cryptography nor other programs', () => {
  nokosu('add', '--project', 'shop', 'The staging database is wiped every night')
  const always = ['cli.js', 'chunks/cli.js', 'chunks/rolldown-runtime.js', 'chunks/engine.js']
  expect(loadedBy('context', '--project', 'shop')).toEqual(always)
  expect(loadedBy('list', '--all', '--json')).toEqual(always)
  const found = loadedBy('search', '--project', 'shop', '--mode', 'keyword', 'staging')
  expect(found).toEqual([...always, 'chunks/search.js'])
  // What nobody accepts is explained by zod.
  expect(loadedBy('list', '--project', 'shop', '--category', 'timing')).not.toContain('zod.cjs')
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
  const place = join(consumer, 'node_modules', native)
  if (hasNative) {
    expect(runtime()).toBe('onnxruntime-node')
    renameSync(place, `${place}.away`)
    mkdirSync(place)
    writeFileSync(join(place, 'package.json'), '{"version": "1.0.0"}')
    writeFileSync(join(place, 'onnxruntime_binding.node'), 'not native code')
  }
  expect(runtime()).toBe('onnxruntime-web')
  rmSync(place, { recursive: true, force: true })
  const { results } = JSON.parse(nokosu('search', '--project', 'shop', 'what is wiped at night?', '--json'))
  expect(results).toHaveLength(1)
  if (hasNative) renameSync(`${place}.away`, place)
})

/** Total bytes of the files in a folder. */
function bytesOf(place: string): number {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

it('is light: at most 55 MB to fetch, 100 MB installed, 140 MB with native code, and names that for every platform', () => {
  const all = bytesOf(join(consumer, 'node_modules'))
  const place = join(consumer, 'node_modules', native)
  const code = hasNative ? bytesOf(place) : 0
  expect(archive).toBeLessThan(55e6)
  expect(all - code).toBeLessThan(100e6)
  expect(all).toBeLessThan(140e6)
  const { optionalDependencies, dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(optionalDependencies).toEqual(nativePackages())
  expect(Object.keys(dependencies)).toEqual(['pino'])
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
    const { types } = exports[entry] as { types: string }
    const source = join(root, types.replace('dist/types', 'src').replace(/\.d\.ts$/, '.ts'))
    const namesOf = (specifier: string) => `Object.keys(await import('${specifier}')).sort().join()`
    const program = `console.log(${namesOf(`nokosu${entry.slice(1)}`)}); console.log(${namesOf(pathToFileURL(source).href)})`
    const [shipped, own] = run(process.execPath, ['--input-type=module', '-e', program], consumer).trim().split('\n')
    expect(shipped, entry).toBe(own)
    expect(shipped, entry).not.toBe('')
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
    ...'--noEmit --strict --module nodenext --target es2024 --types node --typeRoots'.split(' '),
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
