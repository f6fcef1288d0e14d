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

/** Path of the real Claude Code. It is large, so only these tests download it. */
export function installClaude(): string {
  return execFileSync(process.execPath, [INSTALL], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

/** Without Claude Code these tests fail; they are never skipped. */
export default function setup(project: TestProject): void {
  project.provide('claudeBinary', installClaude())
}
