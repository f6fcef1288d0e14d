import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE_NAME = 'nokosu'

/** The folder of this package: above `src/` in a checkout, above `dist/` when installed; null if neither is found. */
export function findPackageRoot(from: string = import.meta.url): string | null {
  for (let folder = dirname(fileURLToPath(from)); ; folder = dirname(folder)) {
    if (packageName(join(folder, 'package.json')) === PACKAGE_NAME) return folder
    if (dirname(folder) === folder) return null
  }
}

function packageName(manifest: string): unknown {
  if (!existsSync(manifest)) return null
  try {
    const { name }: { name?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'))
    return name
  } catch {
    // A broken package.json further up is not this package's.
    return null
  }
}
