import { defineConfig } from 'vitest/config'
import type { TestSpecification } from 'vitest/node'
import { QUICK } from '../../vitest.config.ts'

/** The session's order, most likely first. */
class AsGiven {
  shard(specifications: TestSpecification[]) {
    return specifications
  }
  sort(specifications: TestSpecification[]) {
    const order: string[] = (globalThis as { mutantOrder?: string[] }).mutantOrder ?? []
    return specifications.sort((a, b) => order.indexOf(a.moduleId) - order.indexOf(b.moduleId))
  }
}

export default defineConfig({
  test: {
    name: 'mutants',
    isolate: false,
    // Catches mutations that make something wait forever.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 45_000 } },
    include: QUICK.include,
    // These start other processes, in which no mutation is active. Of the files that only `npm run test:full` runs, those of SQLite
    // are included.
    exclude: [
      ...QUICK.exclude.filter((files) => !files.includes('/sqlite-')),
      'test/{docs,eval}/**',
      'test/surfaces/{bin,cli-export,cli-help,cli-processes,cli-program,client-hooks,lessons,loop,pipeline}.test.ts',
      'test/surfaces/{plugin,plugin-program,run*,setup,setup-claude,tier}.test.ts',
    ],
    setupFiles: ['scripts/mutate/in-worker.ts'],
    sequence: { sequencer: AsGiven },
  },
})
