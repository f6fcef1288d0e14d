import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { onDemand } from '../on-demand.ts'
import { startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the address of the PostgreSQL server, and starts it on the first request. */
    postgres: string
  }
}

/** One PostgreSQL server for all test files, started only if a file needs it. */
export default async function setup(project: TestProject) {
  const { desk, close } = await onDemand(async () => {
    const named = process.env.NOKOSU_TEST_POSTGRES
    if (named) return { address: named, stop: async () => {} }
    const folder = mkdtempSync(join(tmpdir(), 'nokosu-postgres-'))
    const server = await startPostgres(folder)
    return {
      address: server.url,
      async stop() {
        server.stop('immediate')
        rmSync(folder, { recursive: true })
      },
    }
  })
  project.provide('postgres', desk)
  return close
}
