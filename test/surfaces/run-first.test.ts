import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git } from './git-workspace.ts'
import { runWorkspace } from './run-agent.ts'

const LEARNED = 'Takes 5 s to answer after a restart'
const SAYS = `echo "[MEMORY:timing:web] ${LEARNED}"`
const PATIENT = ['--extract', 'off', '--store-timeout', '60'] as const

/** A fresh repository `shop2`, and runs in it. */
function freshRepository() {
  const space = runWorkspace()
  const folder = join(space.folder, 'shop2')
  mkdirSync(folder)
  git(folder, 'init', '-q', '-b', 'main')
  const run = async (flags: readonly string[], script: string, env: Record<string, string> = {}) =>
    (await space.run(['--workspace', folder, ...PATIENT, ...flags, '--', 'sh', '-c', script], { cwd: folder, env }))
      .stdout
  return { folder, run }
}

const WAYS = [
  { name: 'the folder’s name as a flag', flags: ['--project', 'shop2'] },
  { name: 'the folder’s name in the environment', env: { NOKOSU_PROJECT: 'shop2' } },
  { name: 'the folder’s name in a configuration file', file: '{"project": "shop2"}' },
  { name: 'the short name of its remote', remote: 'git@host:acme/web.git', flags: ['--project', 'web'] },
  { name: 'a name of another project', flags: ['--project', 'warehouse'] },
  { name: 'no name', flags: [] },
]

it.each(WAYS)(
  'what the first run in a fresh repository learned is seen by the next, with $name',
  async ({ flags = [], env = {}, file, remote }) => {
    const { run, folder } = freshRepository()
    if (remote !== undefined) git(folder, 'remote', 'add', 'origin', remote)
    if (file !== undefined) writeFileSync(join(folder, 'nokosu.config.json'), file)
    await run(flags, SAYS, env)
    expect(await run(flags, 'printf %s "$NOKOSU_CONTEXT"', env)).toContain(LEARNED)
  },
)

it('the name is kept before anything is spooled, and what a run without its store spooled is delivered before the next one reads', async () => {
  const { run, folder } = freshRepository()
  const flags = ['--project', 'shop2']
  await run([...flags, '--store-timeout', '0.001'], `test -e .nokosu/project && ${SAYS}`)
  expect(existsSync(join(folder, '.nokosu/project'))).toBe(true)
  expect(await run(flags, 'printf %s "$NOKOSU_CONTEXT"')).toContain(LEARNED)
})

it('what the first run was given as a name of its repository is found without it', async () => {
  const { run } = freshRepository()
  await run(['--project', 'shop2'], SAYS)
  expect(await run([], 'printf %s "$NOKOSU_CONTEXT"')).toContain(LEARNED)
})
