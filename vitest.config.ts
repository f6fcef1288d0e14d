import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // For what hangs. Promises about time are measured by the tests themselves; a machine that is busy with other work takes ten times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    passWithNoTests: false,
    // One worker per core: by default one core is left idle, which on two cores doubles the time.
    maxWorkers: '100%',
    // Some promises are bounds of time, kept by real processes: on a busy machine one that missed its bound is measured again.
    retry: process.env.CI ? 2 : 0,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // The files of a worker share what they import: loading it for each file took a third of the time of most. A file leaves the
          // environment, the clock and global objects as it found them.
          isolate: false,
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'test/e2e/**', 'test/browser/**'],
          // Servers are started when the first file asks for one.
          globalSetup: ['test/dynamodb/global-setup.ts', 'test/postgres/global-setup.ts'],
        },
      },
      // One browser for all of them, one file at a time: what appears by itself has to appear in time.
      {
        extends: true,
        test: {
          name: 'browser',
          sequence: { groupOrder: 1 },
          fileParallelism: false,
          include: ['test/browser/**/*.test.ts'],
          globalSetup: 'test/browser/global-setup.ts',
        },
      },
      // The real Claude Code CLI is large: only these tests bring it.
      {
        extends: true,
        test: {
          name: 'e2e',
          // After the others and one file at a time: Claude Code gives a hook 1.5 s at the end of a session, and a busy machine takes that
          // from it. A try that it cancelled is made again.
          sequence: { groupOrder: 2 },
          fileParallelism: false,
          retry: 2,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: 'test/e2e/global-setup.ts',
        },
      },
    ],
  },
})
