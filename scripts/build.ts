/** Compiles `src/` into `dist/`, bundling its imports, so that a light package has nothing else to install. */
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import { z } from 'zod'
import { ASSET_FILES } from '../src/http/dashboard/assets.ts'
import { builtins } from './bundle/builtins.ts'

const root = join(import.meta.dirname, '..')
const stamp = join(root, 'dist', '.stamp')
const ENTRY = '\0entry:'
const ZOD_LATER = '\0zod-later'
const ZOD_USED = '\0zod-used'

/** The command line, and the public entry points: what `exports` in package.json names. */
const ENTRIES = {
  cli: 'src/cli/main.ts',
  index: 'src/index.ts',
  'ai-sdk': 'src/adapters/ai-sdk.ts',
  langgraph: 'src/adapters/langgraph.ts',
  mastra: 'src/adapters/mastra.ts',
  'openai-agents': 'src/adapters/openai-agents.ts',
  capture: 'src/capture/index.ts',
  compat: 'src/compat.ts',
  mcp: 'src/mcp/index.ts',
  provider: 'src/provider.ts',
  schemas: 'src/engine/schemas.ts',
  testing: 'src/testing/index.ts',
  'embedding/hashing': 'src/embedding/hashing.ts',
  'embedding/http': 'src/embedding/http.ts',
  'embedding/local': 'src/embedding/local.ts',
  'storage/index': 'src/storage/index.ts',
  'storage/dynamodb': 'src/storage/dynamodb/dynamodb-storage.ts',
  'storage/postgres': 'src/storage/postgres/postgres-storage.ts',
  'storage/reference': 'src/storage/reference/reference-storage.ts',
  'storage/sqlite': 'src/storage/sqlite/sqlite-storage.ts',
}

/** Packages that cannot be bundled: they have native code, start workers, or are optional. */
const NEVER_BUNDLED = [
  /^@aws-sdk/,
  /^@langchain/,
  /^@openai/,
  /^ai$/,
  /^onnxruntime-node/,
  /^pg(-native)?$/,
  /^pino/,
  /^rolldown/,
  /^vitest/,
]

/**
 * Roots: modules that a process loads together, each bundled with its imports. By default every shared module becomes a separate file, and
 * there are dozens of entries: `nokosu context` read a hundred files, a third of a millisecond each.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  engine: [
    'src/engine/open-memory.ts',
    'src/engine/context/build.ts',
    ENTRIES['storage/sqlite'],
    ENTRIES['embedding/local'],
  ],
  search: ['src/engine/search.ts', 'src/storage/sqlite/search.ts', 'src/embedding/load-model.ts'],
  cli: [
    ENTRIES.cli,
    'src/cli/commands/context.ts',
    'src/cli/commands/search.ts',
    'src/cli/commands/list.ts',
    'src/config/load-config.ts',
  ],
  provider: ['src/model/provider.ts'],
}

interface Bundler {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

/** Names the output file of a module by the roots that need it; null leaves it to the bundler. */
function byUsers(): (id: string, bundler: Bundler) => string | null {
  let users: ReturnType<typeof usersOf> | null = null
  return (id, bundler) => {
    users ??= usersOf(bundler)
    return users.get(id) ?? null
  }
}

/** What two of them load is with the engine, which both load. */
function usersOf(bundler: Bundler): Map<string, string> {
  const users = new Map<string, string>()
  for (const [group, roots] of Object.entries(TOGETHER)) {
    const seen = new Set<string>()
    const visit = (id: string): void => {
      if (seen.has(id) || users.get(id) === 'engine') return
      seen.add(id)
      users.set(id, users.has(id) ? 'engine' : group)
      for (const other of bundler.getModuleInfo(id)?.importedIds ?? []) visit(other)
    }
    for (const file of roots) visit(join(root, file))
  }
  // One runs on load, and the other would export what others take from its file.
  for (const entry of [ENTRIES.cli, ENTRIES.schemas]) users.delete(join(root, entry))
  return users
}

/** Our own modules get the zod that builds schemas when they are used, and loads zod itself with the first. */
const zodLater = {
  name: 'zod later',
  resolveId: (id: string, importer?: string) =>
    id === 'zod' && importer?.startsWith(join(root, 'src')) ? ZOD_LATER : null,
  load: (id: string) =>
    id === ZOD_LATER
      ? `import { createRequire } from 'node:module'
import { deferredZod } from ${JSON.stringify(join(import.meta.dirname, 'bundle/deferred-zod.ts'))}
export const z = deferredZod(() => createRequire(import.meta.url)('../zod.cjs').z)`
      : null,
}

/** Entries that the engine loads too: it would load their small file on the way to its own. */
const APART = new Set(['storage/sqlite', 'embedding/local'])
const entryApart = {
  name: 'entry apart',
  resolveId: (id: string) => (id.startsWith(ENTRY) ? id : null),
  load: (id: string) =>
    id.startsWith(ENTRY) ? `export * from ${JSON.stringify(join(root, id.slice(ENTRY.length)))}` : null,
}

/** What our modules use of zod: all of it would be four times as much to load. */
const zodUsed = {
  name: 'zod used',
  resolveId: (id: string) => (id === ZOD_USED ? ZOD_USED : null),
  load(id: string) {
    if (id !== ZOD_USED) return null
    const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
    const used = new Set(sources.flatMap((text) => [...text.matchAll(/\bz\.([A-Za-z]\w*)/g)].map(([, name]) => name!)))
    const names = [...used].filter((name) => name in z && name !== 'core')
    return `import { ${names.map((name) => `${name} as _${name}`).join(', ')} } from 'zod'
export const z = { ${names.map((name) => `${name}: _${name}`).join(', ')} }`
  },
}

function isFresh(): boolean {
  const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return globSync('src/**/*.*', { cwd: root }).every((file) => statSync(join(root, file)).mtimeMs <= built)
}

const started = performance.now()
if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)
// Built in another folder and moved at the end, so that a running program finds the old build or the new one, always whole.
const aside = join(root, '.cache', `build-${process.pid}`)
const shared = {
  cwd: root,
  platform: 'node' as const,
  logLevel: 'warn' as const,
  // A module that the command line loads when needed may be loaded at once by another entry point.
  checks: { ineffectiveDynamicImport: false },
}
const minify = { compress: true, mangle: false, codegen: true }
await build({
  ...shared,
  // Chunks are grouped by use, so an entry only re-exports.
  preserveEntrySignatures: 'allow-extension',
  input: Object.fromEntries(
    Object.entries(ENTRIES).map(([name, file]) => [name, APART.has(name) ? `${ENTRY}${file}` : file]),
  ),
  external: NEVER_BUNDLED,
  plugins: [builtins, zodLater, entryApart],
  // Its main file loads the others in a way that a bundler does not see.
  resolve: { alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') } },
  output: {
    dir: aside,
    chunkFileNames: 'chunks/[name]-[hash].js',
    cleanDir: false,
    minify,
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ debugName: 'by users', name: byUsers() }] },
  },
})
await build({
  ...shared,
  input: { zod: ZOD_USED },
  plugins: [zodUsed],
  output: { dir: aside, format: 'cjs', entryFileNames: '[name].cjs', minify },
})
// The WebAssembly runtime: its package has fifteen builds, and one is used.
await build({ ...shared, input: { ort: 'onnxruntime-web' }, output: { dir: join(aside, 'onnx-web'), minify: true } })
for (const file of ['ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'])
  copyFileSync(join(root, 'node_modules/onnxruntime-web/dist', file), join(aside, 'onnx-web', file))
for (const [name, file] of Object.entries(ASSET_FILES)) {
  mkdirSync(join(aside, 'assets'), { recursive: true })
  copyFileSync(join(root, file), join(aside, 'assets', name))
}
writeFileSync(join(aside, '.stamp'), '')
const before = join(root, '.cache', `before-${process.pid}`)
if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), before)
renameSync(aside, join(root, 'dist'))
rmSync(before, { recursive: true, force: true })
console.error(`compiled in ${((performance.now() - started) / 1000).toFixed(1)} s`)
