/**
 * What a release is made of, as CycloneDX: `node scripts/sbom.ts [FILE]` (default: nokosu-VERSION.cdx.json). Made from the lock file, so it names
 * what `npm ci` installs, with checksums; what only develops Nokosu is left out.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

export interface Bom {
  bomFormat: string
  metadata: { timestamp?: string; component: { name: string; version: string } }
  components: {
    'bom-ref': string
    name: string
    version: string
    hashes?: { alg: string; content: string }[]
    properties?: { name: string; value: string }[]
  }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

export function makeSbom(): Bom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel=error']
  const bom = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 })) as Bom
  // `--omit dev` would leave out what something of development needs too.
  bom.components = bom.components.filter(
    ({ properties = [] }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'),
  )
  const kept = new Set(bom.components.map((each) => each['bom-ref']))
  const own = bom.dependencies.filter(({ ref }) => kept.has(ref) || ref.startsWith('nokosu@'))
  bom.dependencies = own.map(({ dependsOn = [], ...rest }) => ({
    ...rest,
    dependsOn: dependsOn.filter((ref) => kept.has(ref)),
  }))
  // npm takes the name of the folder.
  bom.metadata.component.name = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { name: string }).name
  return bom
}

if (import.meta.main) {
  const bom = makeSbom()
  const file = process.argv[2] ?? `nokosu-${bom.metadata.component.version}.cdx.json`
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
  console.log(`${bom.components.length} components in ${file}`)
}
