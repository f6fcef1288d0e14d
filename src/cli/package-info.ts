import { findPackageRoot } from '../package/package-root.ts'

export { packageVersion } from '../package/package-version.ts'

export function packageRoot(): string {
  return findPackageRoot()!
}
