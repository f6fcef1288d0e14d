import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageRoot } from './package-root.ts'

/** The version of this package. */
export function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(findPackageRoot()!, 'package.json'), 'utf8'))
  return version
}
