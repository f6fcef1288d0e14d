/**
 * Checks the imports of `src/`. Each room (a folder, or `index` for the public API) lists the rooms that it uses, which must be listed before it. The check
 * fails on an import that is not listed, on a listed one that nothing uses,
 * on a cycle of files, and on a file that writes to the terminal without the writer.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const source = join(import.meta.dirname, '..', 'src')

/** In dependency order. */
const ROOMS: Record<string, readonly string[]> = {
  text: [],
  vector: [],
  package: [],
  model: [],
  observe: ['text', 'model'],
  capture: ['text', 'package', 'model'],
  embedding: ['vector', 'package', 'model'],
  guard: ['text', 'model', 'capture', 'embedding'],
  lifecycle: ['text', 'model', 'embedding'],
  storage: ['text', 'vector', 'model', 'lifecycle'],
  transfer: ['text', 'model', 'embedding', 'storage'],
  learn: ['text', 'model', 'transfer'],
  recall: ['text', 'vector', 'model', 'guard', 'lifecycle', 'storage'],
  engine: [
    ...['text', 'vector', 'model', 'observe', 'capture', 'guard', 'embedding', 'lifecycle', 'storage', 'transfer'],
    ...['recall'],
  ],
  migrate: ['text', 'vector', 'model', 'embedding', 'storage', 'engine'],
  config: ['model', 'observe', 'guard', 'storage', 'engine'],
  remote: ['text', 'model', 'capture', 'recall', 'engine'],
  agents: ['text', 'package', 'model', 'capture', 'guard', 'engine', 'remote'],
  'claude-code': ['package', 'model', 'capture', 'guard', 'config', 'remote'],
  setup: ['text', 'model', 'remote', 'agents', 'claude-code'],
  mcp: ['text', 'package', 'model', 'capture', 'guard', 'recall', 'engine'],
  http: [
    ...['text', 'lifecycle', 'remote', 'agents'],
    ...['package', 'model', 'observe', 'capture', 'guard', 'storage', 'engine', 'mcp'],
  ],
  cli: [
    ...['lifecycle', 'storage', 'transfer', 'learn', 'migrate'],
    ...['text', 'package', 'model', 'observe', 'capture', 'guard', 'embedding', 'engine', 'config', 'remote', 'agents'],
    ...['claude-code', 'setup', 'mcp', 'http'],
  ],
  testing: ['model', 'embedding', 'storage', 'engine'],
  adapters: ['model', 'capture', 'engine'],
  index: ['model', 'capture', 'embedding', 'engine', 'config'],
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^'"\n]*(?:\n[^'"\n]*)*?from\s*'(\.[^']+)'|import\('(\.[^']+)'\)/g

function roomOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : 'index'
}

/** The imports of each file; paths are relative to `src/`. */
function readImports(): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>()
  for (const file of globSync('**/*.{ts,tsx}', { cwd: source })) {
    if (/\.(test|fixture)\.ts$/.test(file)) continue
    const text = readFileSync(join(source, file), 'utf8')
    const found = [...text.matchAll(IMPORT)].map(([, fixed, lazy]) => (fixed ?? lazy)!)
    imports.set(file, new Set(found.map((path) => relative(source, resolve(source, dirname(file), path)))))
  }
  return imports
}

function checkRooms(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const order = Object.keys(ROOMS)
  const unused = new Set(Object.entries(ROOMS).flatMap(([from, rooms]) => rooms.map((to) => `${from} ${to}`)))
  const problems: string[] = []
  for (const [file, targets] of imports) {
    const from = roomOf(file)
    if (!order.includes(from)) problems.push(`src/${file}: the room ${from} is not in scripts/check-imports.ts`)
    for (const to of [...targets].map(roomOf).filter((room) => room !== from)) {
      if (!ROOMS[from]?.includes(to)) problems.push(`src/${file}: ${from} must not import ${to}`)
      unused.delete(`${from} ${to}`)
    }
  }
  for (const edge of unused) problems.push(`${edge.replace(' ', ' may import ')}, but does not: remove the permission`)
  for (const [from, rooms] of Object.entries(ROOMS)) {
    const back = rooms.filter((to) => order.indexOf(to) >= order.indexOf(from))
    if (back.length > 0) problems.push(`${from} is allowed to import against the flow: ${back.join(', ')}`)
  }
  return problems
}

/** One line for each cycle of imports that a depth-first walk meets. */
function checkCycles(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const problems: string[] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start >= 0) problems.push(`a cycle: ${[...path.slice(start), file].map((each) => `src/${each}`).join(' -> ')}`)
    if (start >= 0 || done.has(file)) return
    path.push(file)
    for (const target of imports.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of imports.keys()) visit(file)
  return problems
}

/**
 * The files that may use the process's output: the writer, which escapes everything; the shell, which passes it the streams; and a script
 * that git runs.
 */
const WRITERS = ['cli/output.ts', 'cli/shell.ts', 'agents/workspace/block.ts']
const OUTPUT =
  /\bconsole\.|\bprocess\.std(?:out|err)\b|\bstd(?:out|err)\b[^}\n]*\}\s*=\s*process\b|\bstd(?:out|err)\s*\.write\(|\bwriteSync\(\s*[12]\b|\/dev\/(?:std|tty)/

function checkOutput(files: Iterable<string>): string[] {
  return [...files].flatMap((file) => {
    const writes = OUTPUT.test(readFileSync(join(source, file), 'utf8'))
    if (writes === WRITERS.includes(file)) return []
    return writes
      ? `src/${file}: writes to the terminal; only src/cli/output.ts may, because it escapes`
      : `src/${file} may write to the terminal, but does not: remove the permission`
  })
}

const imports = readImports()
const problems = [...checkRooms(imports), ...checkCycles(imports), ...checkOutput(imports.keys())]
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
