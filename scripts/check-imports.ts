/** Holds the imports to the flow: a stage may use those before it, never those behind it, and a surface is used by none. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const source = join(import.meta.dirname, '..', 'src')

const MAY_IMPORT: Record<string, readonly string[]> = {
  model: [],
  vector: [],
  package: [],
  observe: ['model'],
  embedding: ['model', 'package', 'vector'],
  capture: ['model', 'guard', 'package'],
  guard: ['model'],
  lifecycle: ['model', 'embedding', 'guard', 'vector'],
  storage: ['model', 'vector'],
  recall: ['model', 'vector', 'embedding', 'guard', 'lifecycle', 'storage'],
  transfer: ['model', 'storage', 'embedding', 'engine'],
  config: ['model', 'embedding', 'storage', 'observe'],
  // And the files beside the folders: the engine composes every stage.
  engine: ['model', 'vector', 'observe', 'embedding', 'capture', 'guard', 'lifecycle', 'storage', 'recall', 'transfer'],
  agents: ['engine', 'capture', 'guard', 'model', 'storage', 'package'],
  http: ['engine', 'config', 'model', 'observe', 'guard', 'storage'],
  'claude-code': ['engine', 'agents', 'capture', 'config', 'guard', 'model', 'package', 'recall'],
  cli: [
    'engine',
    'claude-code',
    'agents',
    'package',
    'config',
    'model',
    'observe',
    'guard',
    'storage',
    'embedding',
    'http',
    'transfer',
    'capture',
    'recall',
    'lifecycle',
  ],
  testing: ['engine', 'model', 'embedding', 'storage'],
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^'"\n]*(?:\n[^'"\n]*)*?from\s*'(\.[^']+)'|import\('(\.[^']+)'\)/g

function room(file: string): string {
  const path = relative(source, file)
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : 'engine'
}

const wrong: string[] = []
for (const name of globSync('**/*.ts', { cwd: source })) {
  if (/\.(test|fixture)\.ts$/.test(name)) continue
  const file = join(source, name)
  const from = room(file)
  for (const [, fixed, lazy] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const to = room(resolve(dirname(file), (fixed ?? lazy)!))
    if (to !== from && !MAY_IMPORT[from]?.includes(to)) wrong.push(`src/${name}: ${from} must not import ${to}`)
  }
}
if (wrong.length > 0) {
  console.error(wrong.join('\n'))
  process.exit(1)
}
