/**
 * package.json as it is published: `node scripts/pack-manifest.ts add` before packing names the packages with native code, and `remove` takes
 * them out again. They are not in the repository, because an installation before they are published writes a lock file without them, which `npm ci` then
 * refuses everywhere.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativePackages } from './onnx-packages.ts'

const file = join(import.meta.dirname, '../package.json')
const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
delete manifest.optionalDependencies
if (process.argv[2] === 'add') manifest.optionalDependencies = nativePackages()
writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
