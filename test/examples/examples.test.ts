import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { workspace } from '../surfaces/run-cli.ts'
import { environmentWith } from './stand-ins.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLES = join(ROOT, 'examples')

// Compilers and processes, on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 120_000 })

/** The frameworks, once: they stay in the checkout until the lock file changes. */
beforeAll(() => {
  const installed = join(EXAMPLES, 'node_modules', '.package-lock.json')
  const wanted = statSync(join(EXAMPLES, 'package-lock.json')).mtimeMs
  if (existsSync(installed) && statSync(installed).mtimeMs >= wanted) return
  const args = ['install', '--no-save', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', args, { cwd: EXAMPLES, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm install in examples failed: ${stderr}`)
}, 300_000)

/** A folder with `nokosu`, and programs that stand for agents, on the PATH. */
function place(programs: Record<string, string> = {}) {
  const { folder } = workspace()
  const env = environmentWith(folder, programs)
  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  return { folder, run }
}

function node(example: string): string {
  const { run } = place()
  const preload = join(import.meta.dirname, 'use-sources.mjs')
  const { status, stdout, stderr } = run(process.execPath, '--import', preload, join(EXAMPLES, example))
  expect({ status, stderr }).toMatchObject({ status: 0 })
  return stdout
}

it('all compile against the types of nokosu and of the frameworks', () => {
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const args = ['-p', join(import.meta.dirname, 'tsconfig.json')]
  const { stdout } = spawnSync(tsc, args, { cwd: ROOT, encoding: 'utf8' })
  expect(stdout.split('\n').filter((line) => line.startsWith('examples/'))).toEqual([])
})

describe('what the agent learned on Monday it knows on Tuesday', () => {
  it('library', () => {
    expect(node('library/main.ts')).toMatch(/^monday: shown 0, learned 1\..*\ntuesday: shown 1, learned 0\./)
  })

  it.each(['ai-sdk', 'mastra'])('%s', (name) => {
    expect(node(`${name}/main.ts`)).toBe(
      'monday: Caddy failed, then worked.\ntuesday: Started caddy after WireGuard, at the first try.\n',
    )
  })

  it('langgraph', () => {
    expect(node('langgraph/main.ts')).toBe(
      'monday: I had to find out.\ntuesday: I know: Caddy must be started after WireGuard\n[["services","caddy"]]\n',
    )
  })

  it('shell', () => {
    const { run } = place()
    const { status, stdout } = run('sh', join(EXAMPLES, 'shell/main.sh'))
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout:
        'monday: Caddy failed, then worked.\n[MEMORY:dependency:caddy] Must be started after WireGuard\n' +
        'tuesday: Started caddy after WireGuard, at the first try.\n',
    })
  })

  it.each([
    ['codex', 'AGENTS.md', 'exec fix it'],
    ['gemini', 'GEMINI.md', '-p fix it'],
  ])('%s, by its file %s', (name, file, given) => {
    const agent = `echo "$*"; grep -F 'wiped every night' ${file}; echo '[MEMORY:timing:ci] The build takes 12 minutes'`
    const { folder, run } = place({ [name]: agent })
    run('git', 'init', '-q', '.')
    writeFileSync(join(folder, file), '# Rules\n')
    run('nokosu', 'add', 'The staging database is wiped every night')
    const { status, stdout } = run('sh', join(EXAMPLES, `codex-and-gemini/${name}.sh`), 'fix it')
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining(`${given}\n- `) })
    expect(readFileSync(join(folder, file), 'utf8')).toBe('# Rules\n')
    expect(run('nokosu', 'context').stdout).toContain('- [timing] The build takes 12 minutes')
  })
})

describe('NokosuStore', () => {
  it('reads back, replaces, finds by prefix, by filter and by meaning, and deletes', () => {
    const { folder, run } = place()
    const program = `
      import { openMemory } from 'nokosu'
      import { NokosuStore } from ${JSON.stringify(join(EXAMPLES, 'langgraph/nokosu-store.ts'))}
      const memory = await openMemory()
      const store = new NokosuStore(memory.as({ projectId: 'shop' }))
      await store.put(['users', 'a/b'], 'k', { text: 'Likes tea', tries: 1 })
      await store.put(['users', 'a/b'], 'k', { text: 'Likes coffee', tries: 3 })
      await store.put(['users', 'c'], 'k', { text: 'Rides a bicycle to work', tries: 5 })
      await store.put(['other', 'users'], 'k', { text: 'Something else' })
      const keys = (items) => items.map(({ namespace }) => namespace.join('|')).sort()
      console.log(JSON.stringify({
        got: (await store.get(['users', 'a/b'], 'k')).value,
        none: await store.get(['users'], 'k'),
        prefix: keys(await store.search(['users'])),
        more: keys(await store.search(['users'], { filter: { tries: { $gt: 3 } } })),
        meaning: keys(await store.search([], { query: 'Who rides a bicycle to work?' })),
        spaces: await store.listNamespaces({ prefix: ['users'], maxDepth: 1 }),
        gone: await store.delete(['users', 'c'], 'k').then(() => store.get(['users', 'c'], 'k')),
      }))
      await memory.shutdown()`
    writeFileSync(join(folder, 'try.ts'), program)
    const preload = join(import.meta.dirname, 'use-sources.mjs')
    const { stdout, stderr } = run(process.execPath, '--import', preload, 'try.ts')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      got: { text: 'Likes coffee', tries: 3 },
      none: null,
      prefix: ['users|a/b', 'users|c'],
      more: ['users|c'],
      meaning: ['users|c'],
      spaces: [['users']],
      gone: null,
    })
  })
})

it('the README of the examples names each of them', () => {
  const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8')
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders.filter(({ name }) => name !== 'node_modules')) expect(readme).toContain(`## ${name}\n`)
})
