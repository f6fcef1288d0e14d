import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from '../../test/fixtures/scratch-folder.ts'
import { submittedWork, workspaceState } from './submitted-work.ts'

function repository() {
  const folder = scratchFolder()
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim()
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  return { folder, git, write }
}

it('tells the commit and every file since the task began, and nothing that was there before', async () => {
  const { folder, git, write } = repository()
  git('init', '-q')
  write('old.ts', '1')
  git('add', '.')
  git('commit', '-qm', 'begin')
  write('notes.txt', 'mine')
  write('plan.txt', 'mine')
  const before = await workspaceState(folder)
  expect(await submittedWork(folder, before)).toEqual({ changedFiles: [] })
  write('plan.txt', 'written to again')
  write('ä b.ts', '1')
  git('add', 'ä b.ts')
  git('commit', '-qm', 'work')
  write('old.ts', '22')
  expect(await submittedWork(folder, before)).toEqual({
    commit: git('rev-parse', 'HEAD'),
    changedFiles: ['old.ts', 'plan.txt', 'ä b.ts'],
  })
})

it('works before the first commit, and without a repository', async () => {
  const { folder, git, write } = repository()
  const nothing = await workspaceState(folder)
  write('a.ts', '1')
  expect(await submittedWork(folder, nothing)).toEqual({ changedFiles: [] })
  git('init', '-q')
  expect(await submittedWork(folder, nothing)).toEqual({ changedFiles: ['a.ts'] })
  git('add', '.')
  git('commit', '-qm', 'begin')
  expect(await submittedWork(folder, nothing)).toEqual({ commit: git('rev-parse', 'HEAD'), changedFiles: ['a.ts'] })
})
