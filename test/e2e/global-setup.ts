import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The real Claude Code command line. */
    claudeBinary: string
  }
}

const INSTALL = join(import.meta.dirname, '../../scripts/install-claude.mjs')

/** Brings Claude Code before the first test that drives it. Without it those tests fail; they are never skipped. */
export default function setup(project: TestProject): void {
  const printed = execFileSync(process.execPath, [INSTALL], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  project.provide('claudeBinary', printed.trim())
}
