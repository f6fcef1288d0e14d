import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

/**
 * What `npm test` leaves to `npm run test:full`: other backends, many processes and kills, long tables of cases, and everything around
 * the package.
 */
const DEEP = [
  'src/embedding/runtime.test.ts',
  'src/guard/own-sets.test.ts',
  'test/docs/samples.test.ts',
  'test/{examples,infra,matrix,migrate,package,stress}/**/*.test.ts',
  'test/http/{load,responsive,telemetry}.test.ts',
  'test/http/fuzz/*.test.ts',
  'test/storage/{broken-backends,dynamodb*,pglite,postgres*,reference-modes}.test.ts',
  'test/storage/sqlite-{bad-files,damage,file-gone,first-edition,locks,upgrade}.test.ts',
  'test/surfaces/{capture-again,cli-completion,demo,dynamodb,hostile-output,inject-kill,loop-again}.test.ts',
  'test/surfaces/{one-memory,pipeline-rounds,plugin-locked,run-delivery,run-extract,run-faults,run-first}.test.ts',
  'test/surfaces/{run-helpers,run-shared,run-spool,store-by-url,tier-words}.test.ts',
  'test/surfaces/{workspace,workspace-copies,workspace-edits,workspace-git}.test.ts',
  'test/surfaces/{workspace-refused,workspace-safety,workspace-two-runs}.test.ts',
]
/** One test each with the real browser and the real Claude Code. Where a machine lacks them, a line says that they were not tried. */
const SMOKE = ['test/{browser,e2e}/smoke.test.ts']
const ELSEWHERE = [...configDefaults.exclude, 'test/{browser,e2e}/**']
/** What `npm test` runs. */
export const QUICK = { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: [...ELSEWHERE, ...DEEP] }
/** Servers are started when the first file asks for one. */
const SERVERS = ['test/dynamodb/global-setup.ts', 'test/postgres/global-setup.ts']

/** The bundle has this in the place of zod. */
const deferredZod = {
  name: 'deferred zod',
  enforce: 'pre' as const,
  resolveId: (id: string, importer?: string) =>
    id === 'zod' && importer?.startsWith(join(import.meta.dirname, 'src'))
      ? join(import.meta.dirname, 'test/deferred-zod.ts')
      : null,
}

export default defineConfig({
  plugins: [deferredZod],
  test: {
    // Only for what hangs: a busy machine may take twenty times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    passWithNoTests: false,
    expect: { poll: { timeout: 240_000 } },
    // One worker per core: by default one core is left idle, which on two cores doubles the time.
    maxWorkers: '100%',
    // The files of a worker share what they import: loading it for each file took a third of the time of most. A file leaves the
    // environment, the clock and global objects as it found them.
    isolate: false,
    projects: [
      // `npm test`
      { extends: true, test: { name: 'unit', ...QUICK } },
      { extends: true, test: { name: 'smoke', include: SMOKE, globalSetup: 'test/smoke-setup.ts' } },
      // `npm run test:full`
      { extends: true, test: { name: 'deep', include: DEEP, exclude: ELSEWHERE, globalSetup: SERVERS } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          exclude: SMOKE,
          globalSetup: 'test/browser/global-setup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: SMOKE,
          globalSetup: 'test/e2e/global-setup.ts',
        },
      },
    ],
  },
})
