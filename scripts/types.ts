/**
 * Keeps the type declarations that package.json exports reach, because tsc writes those of every file. Copies the declarations of zod, which is bundled, beside
 * them, so that users of our types need not install it.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const TYPES = join(ROOT, 'dist/types')
const ZOD = join(ROOT, 'node_modules/zod')
const VENDOR = join(TYPES, 'vendor/zod')

const IMPORT = /(from |import\()(['"])([^'"]+)\2/g
const written = new Map<string, string>()

/** The output path of one of our files or of zod's. */
function placeOf(file: string): string {
  return file.startsWith(ZOD) ? join(VENDOR, relative(ZOD, file)) : file
}

function visit(file: string): void {
  const target = placeOf(file)
  if (written.has(target)) return
  const text = readFileSync(file, 'utf8')
  written.set(target, '')
  const rewritten = text.replace(IMPORT, (whole, before: string, quote: string, name: string) => {
    if (name !== 'zod' && !name.startsWith('.')) return whole
    const found = name === 'zod' ? join(ZOD, 'index.d.ts') : resolve(dirname(file), name.replace(/\.[jt]s$/, '.d.ts'))
    visit(found)
    const path = relative(dirname(target), placeOf(found)).replace(/\.d\.ts$/, '.js')
    return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
  })
  written.set(target, rewritten)
}

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string }>
}
for (const entry of Object.values(exports)) if (typeof entry !== 'string') visit(join(ROOT, entry.types))
for (const file of globSync('**/*.d.ts', { cwd: TYPES })) if (!written.has(join(TYPES, file))) rmSync(join(TYPES, file))
for (const [file, text] of written) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
