import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** Maps package subpaths to sources: `nokosu/storage` is src/storage/index.ts here. */
export function sourcesOf(): [name: string, file: string][] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string } | string>
  }
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return []
    const source = target.types.replace('./dist/types/', 'src/').replace(/\.d\.ts$/, '.ts')
    return [[`nokosu${path.slice(1)}`, join(ROOT, source)]]
  })
}
