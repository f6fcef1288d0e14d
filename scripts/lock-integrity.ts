/**
 * Fills in the checksums that package-lock.json lacks: npm leaves them out for packages of other platforms, which this machine never
 * downloaded. `node scripts/lock-integrity.ts` asks the registry; a package inside another's archive is covered by that archive's.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface Entry {
  version?: string
  name?: string
  integrity?: string
  inBundle?: boolean
  link?: boolean
}
interface Lock {
  packages: Record<string, Entry>
}

const FILE = join(import.meta.dirname, '../package-lock.json')

/** Entries that are downloaded but have no checksum. */
export function lacking({ packages }: Lock): [path: string, entry: Entry][] {
  return Object.entries(packages).filter(
    ([path, { integrity, inBundle, link }]) => path !== '' && !integrity && !inBundle && !link,
  )
}

async function fill(): Promise<void> {
  const lock = JSON.parse(readFileSync(FILE, 'utf8')) as Lock
  for (const [path, entry] of lacking(lock)) {
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    try {
      const args = ['view', `${name}@${entry.version}`, 'dist.integrity']
      const integrity = (await promisify(execFile)('npm', args)).stdout.trim()
      if (!/^sha512-/.test(integrity)) throw new Error('the registry has none')
      entry.integrity = integrity
    } catch (error) {
      console.error(`${name}@${entry.version}: ${(error as Error).message.split('\n')[0]}`)
    }
  }
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`${lacking(lock).length} entries are left without a checksum.`)
}

if (import.meta.main) await fill()
