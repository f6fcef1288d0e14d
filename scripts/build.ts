/** Compiles `src/` into `dist/`. The command line is bundled with its dependencies, to start fast; the library is not. */
import { copyFileSync, existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import { ASSET_FILES } from '../src/http/dashboard/assets.ts'

const root = join(import.meta.dirname, '..')
const stamp = join(root, 'dist', '.stamp')

/** The public entry points: what `exports` in package.json names. */
const LIBRARY = {
  index: 'src/index.ts',
  'ai-sdk': 'src/adapters/ai-sdk.ts',
  langgraph: 'src/adapters/langgraph.ts',
  mastra: 'src/adapters/mastra.ts',
  'openai-agents': 'src/adapters/openai-agents.ts',
  capture: 'src/capture/index.ts',
  compat: 'src/compat.ts',
  mcp: 'src/mcp/index.ts',
  provider: 'src/provider.ts',
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

/** Packages that cannot be bundled: they have native code, start workers, or are there only where they are used. */
const NEVER_BUNDLED = [/^@aws-sdk/, /^onnxruntime-node/, /^pg(-native)?$/, /^pino/, /^rolldown/, /^vitest/]

function isFresh(): boolean {
  const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return globSync('src/**/*.*', { cwd: root }).every((file) => statSync(join(root, file)).mtimeMs <= built)
}

const started = performance.now()
if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)
// Built in another folder and moved at the end, so that a running program finds the old build or the new one, always whole.
const aside = join(root, '.cache', `build-${process.pid}`)
const shared = { cwd: root, platform: 'node' as const, logLevel: 'warn' as const }
const output = { dir: aside, chunkFileNames: 'chunks/[name]-[hash].js', cleanDir: false }
await build({
  ...shared,
  input: { cli: 'src/cli/main.ts' },
  external: NEVER_BUNDLED,
  // Its main file loads the others in a way that a bundler does not see.
  resolve: { alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') } },
  output: { ...output, minify: 'dce-only' },
})
await build({ ...shared, input: LIBRARY, external: [/^[^./]/], output })
// The runtime in WebAssembly: its package has fifteen builds, of which one is used.
await build({ ...shared, input: { ort: 'onnxruntime-web' }, output: { dir: join(aside, 'onnx-web') } })
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
