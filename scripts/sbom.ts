/**
 * Writes the bill of materials of a release (CycloneDX): `node scripts/sbom.ts [FILE]` (default: nokosu-VERSION.cdx.json). Made from the lock file, with
 * checksums: packages that are installed with Nokosu, and packages in its bundle. Development tools are left out.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

export interface Bom {
  bomFormat: string
  metadata: { timestamp?: string; component: { 'bom-ref': string; name: string; version: string } }
  components: {
    'bom-ref': string
    name: string
    version: string
    hashes?: { alg: string; content: string }[]
    properties?: { name: string; value: string }[]
  }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

/** Installed by the user, like the peers: `nokosu/testing` runs in it. */
const TOOLS = ['vitest']
/** Bundled, and also a peer dependency for its types. */
const MCP = '@modelcontextprotocol/server'
/** Packages that only contribute binaries, without their dependencies (scripts/onnx-packages.ts). */
const BINARIES = ['onnxruntime-node']

/** The bundled packages: those that the sources import and users do not install. */
function imported(): Set<string> {
  const names = globSync('src/**/*.{ts,tsx}', { cwd: ROOT, exclude: ['**/*.test.ts'] }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from |import\()'((?:@[^/']+\/)?[a-z][^/']*)/g)].map(
      ([, name]) => name!,
    ),
  )
  return new Set([...names, ...BINARIES])
}

export function makeSbom(): Bom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel=error']
  const bom = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 })) as Bom
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    name: string
    dependencies: Record<string, string>
    peerDependencies: Record<string, string>
  }
  const nameOf = (ref: string) => ref.slice(0, ref.lastIndexOf('@'))
  const edges = new Map(bom.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
  const roots = new Set([...imported(), ...Object.keys(manifest.dependencies)])
  for (const name of [...Object.keys(manifest.peerDependencies), ...TOOLS]) if (name !== MCP) roots.delete(name)
  const kept = new Set<string>()
  const keep = (ref: string): void => {
    if (kept.has(ref)) return
    kept.add(ref)
    if (!BINARIES.includes(nameOf(ref))) for (const other of edges.get(ref) ?? []) keep(other)
  }
  const own = bom.dependencies.find(({ ref }) => ref === bom.metadata.component['bom-ref'])!
  for (const ref of own.dependsOn ?? []) if (roots.has(nameOf(ref))) keep(ref)
  bom.components = bom.components.filter((each) => kept.has(each['bom-ref']))
  for (const each of bom.components)
    each.properties = (each.properties ?? []).filter(({ name }) => name !== 'cdx:npm:package:development')
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => kept.has(ref) || ref === own.ref)
    .map(({ dependsOn = [], ...rest }) => ({ ...rest, dependsOn: dependsOn.filter((ref) => kept.has(ref)) }))
  // npm uses the name of the folder.
  bom.metadata.component.name = manifest.name
  return bom
}

if (import.meta.main) {
  const bom = makeSbom()
  const file = process.argv[2] ?? `nokosu-${bom.metadata.component.version}.cdx.json`
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
  console.log(`${bom.components.length} components in ${file}`)
}
