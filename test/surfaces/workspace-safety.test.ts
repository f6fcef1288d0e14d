import { spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { git, scratch, settings } from './git-workspace.ts'
import { CONTENT, MEMORY, OURS, read, repository } from './workspace-files.ts'

/** A branch `other` with the team's CLAUDE.md and MEMORY.md, and untracked files by these names. */
function withPrivateFiles(): string {
  const folder = repository()
  git(folder, 'switch', '-qc', 'other')
  mkdirSync(join(folder, '.claude/memory'), { recursive: true })
  for (const name of ['CLAUDE.md', MEMORY]) writeFileSync(join(folder, name), 'team\n')
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'team')
  git(folder, 'switch', '-q', 'main')
  mkdirSync(join(folder, '.claude/memory'), { recursive: true })
  for (const name of ['CLAUDE.md', MEMORY]) writeFileSync(join(folder, name), 'private\n')
  return folder
}

describe('a file that the user had is never ignored, and never lost', () => {
  it.each([
    ['switch', 'other'],
    ['merge', 'other'],
    ['clean', '-fdX'],
    ['status', '--porcelain'],
  ])('git %s %s does what it does without us, to files that git does not track', async (...command) => {
    const attempt = (folder: string) => {
      try {
        return git(folder, ...command)
      } catch {
        return 'refused'
      }
    }
    const plain = withPrivateFiles()
    const expected = attempt(plain)
    const folder = withPrivateFiles()
    await injectWorkspace(folder, CONTENT)
    expect(attempt(folder)).toBe(expected)
    await restoreWorkspace(folder)
    for (const name of ['CLAUDE.md', MEMORY]) expect(read(folder, name)).toBe('private\n')
  })

  const WRITTEN = { 'over ours': writeFileSync, 'behind ours': appendFileSync }
  it.each(
    Object.keys(WRITTEN).flatMap((how) =>
      [
        ['switch', 'other'],
        ['merge', 'other'],
        ['checkout', 'other', '--', '.'],
        ['clean', '-fdX'],
        ['stash', '-u'],
      ].map((command) => [how, ...command] as const),
    ),
  )('what somebody writes %s, where no such file was, is not lost by git %s %s', async (how, ...command) => {
    const folder = withPrivateFiles()
    for (const name of ['CLAUDE.md', MEMORY]) rmSync(join(folder, name))
    const exclude = settings(folder).exclude
    await injectWorkspace(folder, CONTENT)
    expect(settings(folder).exclude).toBe(exclude)
    for (const name of ['CLAUDE.md', MEMORY]) WRITTEN[how as keyof typeof WRITTEN](join(folder, name), 'private\n')
    expect(git(folder, 'status', '--porcelain', '-uall')).toBe(`?? ${MEMORY}\n?? CLAUDE.md\n`)
    const isAsked = command[0] === 'checkout'
    try {
      git(folder, ...command)
    } catch {
      // Git refuses, as it would without Nokosu.
    }
    if (command[0] === 'stash') git(folder, 'stash', 'pop')
    await restoreWorkspace(folder)
    for (const name of ['CLAUDE.md', MEMORY]) expect(read(folder, name)).toBe(isAsked ? 'team\n' : 'private\n')
  })

  it('what the agent adds to a new file is committed, and nothing but that', async () => {
    const folder = repository({ code: 'x\n' })
    await injectWorkspace(folder, CONTENT)
    appendFileSync(join(folder, 'CLAUDE.md'), 'Use tabs.\n')
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'rules')
    expect(git(folder, 'show', '--format=', '--name-only')).toBe('CLAUDE.md\n')
    expect(git(folder, 'show', 'HEAD:CLAUDE.md')).toBe('Use tabs.\n')
    await restoreWorkspace(folder)
    expect([git(folder, 'status', '--porcelain'), read(folder, 'CLAUDE.md')]).toEqual(['', 'Use tabs.\n'])
  })

  it('a line that somebody writes into our block is seen by git, and not lost by it', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    git(folder, 'switch', '-qc', 'other')
    writeFileSync(join(folder, 'CLAUDE.md'), 'other\n')
    git(folder, 'commit', '-qam', 'other')
    git(folder, 'switch', '-q', 'main')
    await injectWorkspace(folder, CONTENT)
    for (const name of ['CLAUDE.md', MEMORY]) {
      const path = join(folder, name)
      writeFileSync(path, read(path).replace('<!-- nokosu:end', 'Use tabs.\n<!-- nokosu:end'))
    }
    expect(git(folder, 'status', '--porcelain', '-uall')).toBe(` M CLAUDE.md\n?? ${MEMORY}\n`)
    expect(() => git(folder, 'switch', 'other')).toThrow(/would be overwritten/)
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'rules')
    expect(git(folder, 'show', 'HEAD:CLAUDE.md')).toBe('Use tabs.\nown\n')
    expect(git(folder, 'show', `HEAD:${MEMORY}`)).toBe('Use tabs.\n')
    await restoreWorkspace(folder)
    expect([git(folder, 'status', '--porcelain'), read(folder, 'CLAUDE.md')]).toEqual(['', 'Use tabs.\nown\n'])
  })

  it('text about blocks can be committed', async () => {
    const text = 'It begins with\n\n<!-- nokosu:begin -->\n'
    const folder = repository({ 'CLAUDE.md': text })
    await injectWorkspace(folder, CONTENT)
    for (const name of ['CLAUDE.md', 'docs.md']) appendFileSync(join(folder, name), text)
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'text')
    expect([git(folder, 'show', 'HEAD:CLAUDE.md'), git(folder, 'show', 'HEAD:docs.md')]).toEqual([text + text, text])
    await restoreWorkspace(folder)
    expect([git(folder, 'status', '--porcelain'), read(folder, 'CLAUDE.md')]).toEqual(['', text + text])
  })

  it('where hooks are switched off meanwhile, an empty file gets into the commit, and stays as git knows it', async () => {
    const folder = repository({ code: 'x\n' })
    await injectWorkspace(folder, CONTENT)
    git(folder, 'config', 'core.hooksPath', '.husky/_')
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'all')
    expect(git(folder, 'log', '-p', '--format=')).not.toMatch(OURS)
    await restoreWorkspace(folder)
    expect([git(folder, 'status', '--porcelain'), read(folder, 'CLAUDE.md')]).toEqual(['', ''])
  })

  it('a file that git does not track in another worktree is as visible as before', async () => {
    const folder = repository()
    const tree = join(scratch(), 'tree')
    git(folder, 'worktree', 'add', '-q', tree)
    writeFileSync(join(tree, 'CLAUDE.md'), 'private\n')
    await injectWorkspace(folder, CONTENT)
    expect(git(tree, 'status', '--porcelain')).toBe('?? CLAUDE.md\n')
    git(tree, 'add', '-A')
    expect(git(tree, 'show', ':CLAUDE.md')).toBe('private\n')
    await restoreWorkspace(folder)
  })

  it.each(['repository', 'folder'])('a %s that was moved after kill -9 has all of its own again', async (kind) => {
    const parent = scratch()
    const before = join(parent, 'before')
    mkdirSync(before)
    if (kind === 'repository') repository({ [MEMORY]: '- mine\n', 'CLAUDE.md': 'own\n' }, before)
    else {
      mkdirSync(join(before, '.claude/memory'), { recursive: true })
      for (const [name, text] of [
        [MEMORY, '- mine\n'],
        ['CLAUDE.md', 'own\n'],
      ] as const)
        writeFileSync(join(before, name), text)
    }
    const killed = spawn(process.execPath, ['--input-type=module', '-e', INJECT, before], { stdio: 'pipe' })
    await new Promise((done) => killed.stdout.once('data', done))
    killed.kill('SIGKILL')
    await new Promise((done) => killed.once('close', done))
    const after = join(parent, 'after')
    renameSync(before, after)
    expect(read(after, MEMORY)).toMatch(OURS)
    // Injects again, then restores.
    await (await injectWorkspace(after, CONTENT, { holder: 'next' }))()
    expect([read(after, MEMORY), read(after, 'CLAUDE.md')]).toEqual(['- mine\n', 'own\n'])
    if (kind === 'repository') expect(git(after, 'status', '--porcelain')).toBe('')
  })

  it('a copy of an injected repository can be used and restored', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const told = settings(folder)
    await injectWorkspace(folder, CONTENT)
    const copy = join(scratch(), 'copy')
    cpSync(folder, copy, { recursive: true })
    expect(await restoreWorkspace(copy)).toBe(true)
    expect(settings(copy)).toEqual(told)
    expect([read(copy, 'CLAUDE.md'), existsSync(join(copy, '.claude'))]).toEqual(['own\n', false])
    await restoreWorkspace(folder)
  })
})

const INJECT = `
import { injectWorkspace } from ${JSON.stringify(join(import.meta.dirname, '../../src/agents/workspace/workspace.ts'))}
await injectWorkspace(process.argv[1], ${JSON.stringify(CONTENT)}, { holder: 'killed' })
process.stdout.write('ready')
setInterval(() => {}, 1000)`

it('a file with another name (a hard link) is the same file during and after', async () => {
  const folder = repository({ 'CLAUDE.md': 'own\n' })
  linkSync(join(folder, 'CLAUDE.md'), join(folder, 'OTHER.md'))
  const { ino } = statSync(join(folder, 'OTHER.md'))
  const restore = await injectWorkspace(folder, CONTENT)
  expect(statSync(join(folder, 'CLAUDE.md')).ino).toBe(ino)
  expect(read(folder, 'OTHER.md')).toMatch(/^<!-- nokosu:begin/)
  await restore()
  expect(statSync(join(folder, 'CLAUDE.md'))).toMatchObject({ ino, nlink: 2 })
  expect([read(folder, 'CLAUDE.md'), read(folder, 'OTHER.md')]).toEqual(['own\n', 'own\n'])
})

it('after kill -9 and a new repository with everything added, the next look takes it out again', async () => {
  const folder = repository({ 'CLAUDE.md': 'own\n' })
  await injectWorkspace(folder, CONTENT)
  rmSync(join(folder, '.git'), { recursive: true })
  git(folder, 'init', '-q')
  git(folder, 'add', '-A')
  expect(await restoreWorkspace(folder)).toBe(true)
  expect(read(folder, 'CLAUDE.md')).toBe('own\n')
})

it('the times of files come back, and no folder that was there goes', async () => {
  const folder = repository({ 'CLAUDE.md': 'own\n' })
  mkdirSync(join(folder, '.claude/memory'), { recursive: true })
  const { mtimeMs } = statSync(join(folder, 'CLAUDE.md'))
  await (await injectWorkspace(folder, CONTENT))()
  expect(statSync(join(folder, 'CLAUDE.md')).mtimeMs).toBe(mtimeMs)
  expect(existsSync(join(folder, '.claude/memory'))).toBe(true)
  rmSync(join(folder, '.claude'), { recursive: true })
})
