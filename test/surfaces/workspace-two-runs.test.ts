import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { runWorker } from '../stress/worker-process.ts'
import { git, scratch, settings, snapshot } from './git-workspace.ts'
import { runWorkspace, until } from './run-agent.ts'
import { finish, startCli } from './run-cli.ts'
import { CONTENT, read, repository } from './workspace-files.ts'

describe('two runs, and little time', () => {
  it.each([
    ['files', 'none', /contain the role and memories of nori \(process \d+/],
    ['none', 'files', /another run in this workspace \(process \d+\) may read CLAUDE\.md as well/],
  ])('a run with %s, and one with %s beside it: the second is told', async (one, other, warning) => {
    const { folder, work, env } = runWorkspace()
    repository({ 'CLAUDE.md': 'own\n' }, work)
    const start = (agent: string, how: string, script: string) => {
      const flags = [
        '--agent',
        agent,
        '--project',
        'shop',
        '--extract',
        'off',
        ...(how === 'files' ? ['--inject', how] : []),
      ]
      const args = ['run', '--workspace', work, ...flags, '--store-timeout', '120', '--', 'sh', '-c', script]
      const child = startCli(args, { cwd: folder, env })
      child.stdin!.end()
      return finish(child)
    }
    const first = start('nori', one, 'touch ../began; until [ -e ../end ]; do sleep 0.05; done')
    await until(() => existsSync(join(folder, 'began')))
    const second = await start('koji', other, 'true')
    expect(second.stderr).toMatch(warning)
    writeFileSync(join(folder, 'end'), '')
    expect((await first).code).toBe(0)
    expect(read(work, 'CLAUDE.md')).toBe('own\n')
  })

  it('a second run in one workspace has its own without files, and says so; restoring by hand refuses', async () => {
    const { folder, work, env, failure, json } = runWorkspace()
    repository({ 'CLAUDE.md': 'own\n' }, work)
    const before = snapshot(work)
    const start = (agent: string, script: string) => {
      const who = ['--agent', agent, '--project', 'shop', '--inject', 'files', '--extract', 'off']
      const args = ['run', '--workspace', work, ...who, '--store-timeout', '120', '--', 'sh', '-c', script]
      const child = startCli(args, { cwd: folder, env })
      child.stdin!.end()
      return finish(child)
    }
    const first = start('nori', 'touch ../began; until [ -e ../end ]; do sleep 0.05; done; grep "^# Role" CLAUDE.md')
    await until(() => existsSync(join(folder, 'began')))
    const copy =
      'cp CLAUDE.md copy.md; git add copy.md; git commit -qm copy >/dev/null; git show HEAD:copy.md >../copied'
    const second = await start(
      'koji',
      `grep "^# Role" CLAUDE.md; printenv NOKOSU_CONTEXT | grep "^# Role"; ${copy}; git rm -qf copy.md; git reset -q --hard HEAD~`,
    )
    expect(read(folder, 'copied')).toBe('own\n')
    expect(second.stdout).toBe('# Role: coder\n# Role: reviewer\n')
    expect(second.stderr).toMatch(/nothing was written to the workspace: .* in use by nori \(process \d+/)
    const restore = ['inject', '--restore', '--workspace', work]
    expect(await failure(restore)).toMatchObject({ exit: 5, code: 'CONFLICT', details: { holder: { name: 'nori' } } })
    writeFileSync(join(folder, 'end'), '')
    expect(await first).toEqual({ code: 0, stdout: '# Role: coder\n', stderr: '' })
    expect(snapshot(work)).toEqual(before)
    expect(await json(restore)).toEqual({ workspace: work, restored: false })
  })

  it('by force it is restored during the run as well', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const restore = await injectWorkspace(folder, CONTENT, { holder: 'nori' })
    await expect(restoreWorkspace(folder)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(injectWorkspace(folder, CONTENT)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await restoreWorkspace(folder, { force: true })).toBe(true)
    expect(await restore()).toBe(false)
    expect(read(folder, 'CLAUDE.md')).toBe('own\n')
  })

  it.each(['a lock that is held', 'a git that is slow'])(
    '%s costs no more than the bound, and leaves nothing',
    async (what) => {
      const folder = repository({ 'CLAUDE.md': 'own\n' })
      const [before, told, path] = [snapshot(folder), settings(folder), process.env.PATH]
      const bin = scratch()
      let held: DatabaseSync | null = null
      if (what.startsWith('a lock')) {
        mkdirSync(join(folder, '.git/nokosu'))
        held = new DatabaseSync(join(folder, '.git/nokosu/lock'))
        held.exec('BEGIN EXCLUSIVE')
      } else {
        writeFileSync(join(bin, 'git'), `#!/bin/sh\nsleep 1\nPATH=${path} exec git "$@"\n`, { mode: 0o755 })
        process.env.PATH = `${bin}:${path}`
      }
      try {
        await expect(injectWorkspace(folder, CONTENT, { boundMs: 600 })).rejects.toThrow()
      } finally {
        process.env.PATH = path
        held?.close()
      }
      expect(snapshot(folder)).toEqual(before)
      await restoreWorkspace(folder)
      expect(settings(folder)).toEqual(told)
    },
  )

  it('what git was told and could not be taken back is taken back the next time', async () => {
    const folder = repository()
    const told = settings(folder)
    const restore = await injectWorkspace(folder, CONTENT, { holder: 'nori' })
    writeFileSync(join(folder, '.git/config.lock'), '')
    await expect(restore()).rejects.toThrow(/the files are restored.*config.*'nokosu inject --restore'/)
    expect(existsSync(join(folder, 'CLAUDE.md'))).toBe(false)
    rmSync(join(folder, '.git/config.lock'))
    await restoreWorkspace(folder)
    expect(settings(folder)).toEqual(told)
  })

  it('a line break in the path leaves nothing where it should not be', async () => {
    const folder = join(scratch(), 'two\nlines')
    mkdirSync(folder)
    repository({ 'CLAUDE.md': 'own\n' }, folder)
    const before = snapshot(folder)
    const restore = await injectWorkspace(folder, CONTENT)
    git(folder, 'add', '-A')
    expect(git(folder, 'diff', '--cached')).toBe('')
    await restore()
    expect(snapshot(folder)).toEqual(before)
    expect(readdirSync(folder).sort()).toEqual(['.git', 'CLAUDE.md'])
  })

  it.each(['folder', 'repository'])('a disk that fills up meanwhile: a %s is restored all the same', async (kind) => {
    const under = ['unshare', process.getuid?.() === 0 ? '-m' : '-rm']
    const [line] = await runWorker('inject-on-full-disk', [scratch(), kind], { under })
    const git = kind === 'repository' ? [false, false, false] : []
    expect(JSON.parse(line!)).toEqual({ injected: true, full: true, own: 'own\n'.repeat(2000), memory: false, git })
  })
})
