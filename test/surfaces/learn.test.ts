import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { git } from './git-workspace.ts'
import { workspace } from './run-cli.ts'
import { onTerminal } from './terminal.ts'

const SHOP = ['--project', 'shop']
const FILES: Record<string, string> = {
  'README.md': `# Shop

A beautiful shop that you can easily run yourself.

## Tests

The integration tests need Redis on port 6380. They take 8 minutes on a laptop.
Run \`make db\` first. If the tests hang after an upgrade, run \`make reset\` to clear the stale cache.
`,
  'CLAUDE.md': `# Rules

- Never commit to main
- Use \`pnpm\` for everything on port 5173
- One approval elsewhere

## Staging

- The database is wiped every night at 02:00
`,
  '.cursor/rules/api.mdc': '---\nglobs: api/**\n---\n- The sandbox of `payments` rejects amounts over 10,000\n',
  'package.json': `{
  "packageManager": "pnpm@9.1.0+sha512.abc",
  "engines": { "node": ">=22" },
  "scripts": {
    "pretest": "make db",
    "test": "vitest run --project unit",
    "start": "node server.js"
  }
}
`,
  Makefile:
    'VERSION := 1\n.PHONY: db\n# Loads the fixtures into an empty database\ndb:\n\tcreatedb\nreset: db\n\trm -rf .cache\nfast:\n\ttrue\n',
  'compose.yaml':
    'services:\n  cache:\n    image: redis:7\n    ports: ["6380:6379"]\n  app:\n    build: .\n    depends_on:\n      cache: { condition: service_healthy }\n',
  '.github/workflows/ci.yml': `on:
  schedule:
    - cron: "0 3 * * *"
jobs:
  test:
    services:
      db: { image: "postgres:16" }
    strategy: { matrix: { node-version: [22, 24] } }
    steps:
      - uses: actions/checkout@v4
      - run: |
          pnpm install
          pnpm test
        env: { TOKEN: "\${{ secrets.NPM_TOKEN }}", OTHER: "\${{ secrets.GITHUB_TOKEN }}" }
`,
}

interface Report {
  stored: boolean
  known: number
  items: { place: string; outcome: Outcome }[]
}

function put(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

function commit(folder: string, subject: string, files: Record<string, string>, body = ''): string {
  put(folder, files)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', subject, ...(body === '' ? [] : ['-m', body]))
  return git(folder, 'rev-parse', 'HEAD').trim()
}

function repository() {
  const place = workspace()
  git(place.folder, 'init', '-q')
  commit(place.folder, 'feat: the shop', FILES)
  return place
}

const textsOf = ({ items }: Report) => items.map(({ place, outcome }) => `${outcome.content} [${place}]`)

it('offers facts with their source, and leaves rules, praise and fragments where they are', async () => {
  const { json } = repository()
  const report = await json<Report>(['learn', ...SHOP, '--dry-run'])
  expect(textsOf(report)).toEqual([
    'Staging: The database is wiped every night at 02:00 [CLAUDE.md:9]',
    'The sandbox of `payments` rejects amounts over 10,000 [.cursor/rules/api.mdc:4]',
    'The integration tests need Redis on port 6380. [README.md:7]',
    'If the tests hang after an upgrade, run `make reset` to clear the stale cache. [README.md:8]',
    'Needs Node.js >=22 [package.json:3]',
    'Packages are installed with pnpm 9.1.0 [package.json:2]',
    '`pnpm test` runs `vitest run --project unit`, after `make db` [package.json:6]',
    '`make db`: Loads the fixtures into an empty database [Makefile:4]',
    '`make reset` first runs `db` [Makefile:6]',
    'Docker Compose starts cache from redis:7, on port 6380 of this machine (6379 inside) [compose.yaml:2]',
    'Docker Compose starts app, after cache [compose.yaml:5]',
    'CI (ci.yml) runs `pnpm install`, `pnpm test` [.github/workflows/ci.yml:11]',
    'CI (ci.yml) runs with postgres:16 [.github/workflows/ci.yml:6]',
    'CI (ci.yml) tests with node 22, 24 [.github/workflows/ci.yml:8]',
    'ci.yml runs on a schedule (cron, UTC): 0 3 * * * [.github/workflows/ci.yml:3]',
    'ci.yml needs the repository secret NPM_TOKEN [.github/workflows/ci.yml:14]',
  ])
  const kinds = report.items.map(({ outcome: { category, service } }) => [category, service])
  expect(kinds.slice(0, 4)).toEqual([
    ['timing', null],
    ['behavior', null],
    ['dependency', null],
    ['remediation', null],
  ])
  expect(kinds[9]).toEqual(['dependency', 'cache'])
  expect(report).toMatchObject({ stored: false, known: 0 })
  expect(await json(['list', ...SHOP])).toMatchObject({ totalCount: 0 })
})

it('reads quotations too, and steps that say what they prevent', async () => {
  const { folder, json } = repository()
  put(folder, {
    'CONTRIBUTING.md': `# Contributing

> [!WARNING]
> Staging is wiped every night at 02:00.
> Prices are cached for 10 minutes.

> **Note** The proxy listens on port 8085.

Run \`make db\` before \`npm test\`, otherwise the tests hang.
Open a pull request, or nobody sees it.
`,
  })
  const report = await json<Report>(['learn', ...SHOP, '--dry-run'])
  expect(textsOf(report).filter((text) => text.includes('CONTRIBUTING'))).toEqual([
    'Staging is wiped every night at 02:00. [CONTRIBUTING.md:4]',
    'Prices are cached for 10 minutes. [CONTRIBUTING.md:5]',
    'The proxy listens on port 8085. [CONTRIBUTING.md:7]',
    'Run `make db` before `npm test`, otherwise the tests hang. [CONTRIBUTING.md:9]',
  ])
})

it('reads from the history what was reverted and what was fixed again, unless it came back', async () => {
  const { folder, json } = repository()
  const cache = commit(folder, 'feat: cache prices in memory', { 'src/price.ts': '1' })
  const reason = `This reverts commit ${cache}.\n\nWorkers do not share memory,\nso prices differed.\n\nMore.`
  const revert = commit(folder, 'Revert "feat: cache prices in memory"', { 'src/price.ts': '2' }, reason)
  commit(folder, 'Revert "feat: the footer"', { 'src/footer.ts': '1' })
  commit(folder, 'Reapply "feat: the footer"', { 'src/footer.ts': '2' })
  commit(folder, 'fix(cart): round the total of mixed currencies', { 'src/cart.ts': '1' })
  const again = commit(folder, 'fix(cart): round the total of mixed currencies down', { 'src/cart.ts': '2' })
  for (const n of [3, 4, 5, 6, 7]) commit(folder, `fix: case ${n} of the parser`, { 'src/parse.ts': String(n) })
  const report = await json<Report>(['learn', ...SHOP, '--dry-run'])
  const told = textsOf(report).filter((text) => text.includes('[commit '))
  expect(told).toEqual([
    `“feat: cache prices in memory” was reverted: Workers do not share memory, so prices differed. [commit ${revert.slice(0, 9)}]`,
    `“fix(cart): round the total of mixed currencies” was not enough; “fix(cart): round the total of mixed currencies down” followed (src/cart.ts) [commit ${again.slice(0, 9)}]`,
    expect.stringMatching(
      /^Fixes keep coming back to src\/parse.ts: 5 of the last 12 commits; the latest: “fix: case 7/,
    ),
  ])
})

it('stores what is offered, offers it once, and offers what is new or has changed', async () => {
  const { folder, json, run } = repository()
  const first = await json<Report>(['learn', ...SHOP, '--yes'])
  expect(first.items.map(({ outcome }) => outcome.kind)).toEqual(Array(16).fill('insert'))
  const { memories } = await json<{ memories: Memory[] }>(['list', ...SHOP])
  expect(memories.find(({ content }) => content.includes('Redis on'))).toMatchObject({
    anchor: 'file:README.md:7',
    layer: 'project',
  })
  const again = await json<Report>(['learn', ...SHOP, '--yes'])
  expect(again).toMatchObject({ items: [], known: 16 })
  expect((await run(['learn', ...SHOP])).stdout).toContain('Nothing to store: 16 known already.')
  // Deleted memories stay deleted.
  await run(['delete', ...SHOP, memories.find(({ content }) => content.startsWith('CI'))!.id, '--yes'])
  put(folder, {
    'compose.yaml': FILES['compose.yaml']!.replace('6380:', '6381:'),
    'CONTRIBUTING.md': 'A release takes 20 minutes.\n',
  })
  const third = await json<Report>(['learn', ...SHOP, '--yes'])
  expect(third.items.map(({ outcome }) => [outcome.content, outcome.kind])).toEqual([
    ['A release takes 20 minutes.', 'insert'],
    [expect.stringContaining('port 6381 of'), 'contradict'],
  ])
})

it('on a terminal one picks by number', async () => {
  const { folder, json } = repository()
  const asked = await onTerminal(['learn', ...SHOP], { cwd: folder, answer: '3 5-6\n' })
  expect(asked.stdout).toMatch(/^ 3 {2}new .*Redis on port 6380/m)
  expect(asked.stderr).toContain('Store which?')
  expect(asked.stdout).toContain('Stored: 3 new')
  const { memories } = await json<{ memories: Memory[] }>(['list', ...SHOP])
  expect(memories.map(({ content }) => content).sort()).toEqual([
    'Needs Node.js >=22',
    'Packages are installed with pnpm 9.1.0',
    'The integration tests need Redis on port 6380.',
  ])
  const none = await onTerminal(['learn', ...SHOP], { cwd: folder, answer: '\n' })
  expect(none.stderr).toContain('Nothing was stored.')
})

it('without a terminal it needs --yes; an empty folder and a missing one say so', async () => {
  const { run, failure } = repository()
  expect(await run(['learn', ...SHOP])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  const empty = workspace()
  const nothing = await empty.run(['learn', ...SHOP])
  expect(nothing).toMatchObject({ code: 0, stdout: 'Found nothing worth remembering.\n' })
  expect(await failure(['learn', 'nowhere', ...SHOP])).toMatchObject({ exit: 2, details: { field: 'folder' } })
})

it('a large file is named rather than read, and a large lock file still says what installs', async () => {
  const { folder, run } = workspace()
  writeFileSync(join(folder, 'README.md'), 'The tests need Redis on port 6380.\n'.repeat(70_000))
  writeFileSync(join(folder, 'package.json'), '{ "scripts": { "test": "make db && vitest run" } }\n')
  writeFileSync(join(folder, 'pnpm-lock.yaml'), 'a: 1\n'.repeat(500_000))
  const { stdout, stderr } = await run(['learn', ...SHOP, '--dry-run'])
  expect(stderr).toContain('README.md was not read: it is larger than 2 MB.')
  expect(stdout).toContain('Packages are installed with pnpm, not npm (pnpm-lock.yaml)')
  expect(stdout).toContain('`pnpm test` runs')
})
