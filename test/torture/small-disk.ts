import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of this size; null if this user may not mount one. */
export function mountSmall(bytes: number): { path: string; unmount(): void } | null {
  const path = mkdtempSync(join(tmpdir(), 'nokosu-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path])
  if (status !== 0) {
    rmSync(path, { recursive: true })
    return null
  }
  return {
    path,
    unmount() {
      spawnSync('umount', [path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}
