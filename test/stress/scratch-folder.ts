import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that is removed after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-stress-'))
  // Processes of other users take part.
  chmodSync(folder, 0o755)
  onTestFinished(() => {
    chmodSync(folder, 0o755)
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
