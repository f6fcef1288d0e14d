import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageRoot } from '../package/package-root.ts'

export function packageRoot(): string {
  return findPackageRoot()!
}

export function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
  return version
}
