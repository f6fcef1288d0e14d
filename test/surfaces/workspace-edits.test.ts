import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { git, settings, snapshot } from './git-workspace.ts'
import { codeRepository, commitAll, FULL_CONTENT, read } from './workspace-files.ts'

describe('what the agent does to CLAUDE.md', () => {
  it('its edits around our block can be committed, without the block, and stay', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    await injectWorkspace(folder, FULL_CONTENT)
    const file = join(folder, 'CLAUDE.md')
    writeFileSync(file, `first\n${read(file)}last\n`)
    expect(commitAll(folder)).toEqual(['CLAUDE.md', 'work.txt'])
    expect(git(folder, 'show', 'HEAD:CLAUDE.md')).toBe('first\nown\nlast\n')
    await restoreWorkspace(folder)
    expect(read(file)).toBe('first\nown\nlast\n')
    expect(git(folder, 'status', '--porcelain')).toBe('')
  })

  it.each([
    ['rewrites it', () => 'mine\n', 'mine\n'],
    ['edits inside the block', (text: string) => text.replace('Zebra', 'Lion'), 'Lion voice\nown\n'],
    ['adds to the block', (text: string) => text.replace('# Role\n', 'mine\n# Role\n'), 'mine\nown\n'],
    ['breaks the block', (text: string) => `${text.replace(/<!-- nokosu:end .*\n/, '')}more\n`, 'own\nmore\n'],
    ['changes the line ends', (text: string) => text.replaceAll('\n', '\r\n'), 'own\r\n'],
  ])('keeps what is left when it %s', async (_, edit, expected) => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    await injectWorkspace(folder, FULL_CONTENT)
    writeFileSync(join(folder, 'CLAUDE.md'), edit(read(folder, 'CLAUDE.md')))
    await restoreWorkspace(folder)
    expect(read(folder, 'CLAUDE.md')).toBe(expected)
  })

  it('folders and files in the place of ours are left alone', async () => {
    const folder = codeRepository()
    const told = settings(folder)
    await injectWorkspace(folder, FULL_CONTENT)
    rmSync(join(folder, 'CLAUDE.md'))
    rmSync(join(folder, '.claude'), { recursive: true })
    mkdirSync(join(folder, 'CLAUDE.md'))
    writeFileSync(join(folder, '.claude'), 'mine\n')
    const before = snapshot(folder)
    expect(await restoreWorkspace(folder)).toBe(true)
    expect(snapshot(folder)).toEqual(before)
    expect(settings(folder)).toEqual(told)
  })

  it('what it wrote into files of ours stays, the rest goes', async () => {
    const folder = codeRepository()
    await injectWorkspace(folder, FULL_CONTENT)
    appendFileSync(join(folder, 'CLAUDE.md'), 'notes\n')
    const memory = join(folder, '.claude/memory/MEMORY.md')
    writeFileSync(memory, `${read(memory).replace('# Memory\n', '# Memory\n- own line\n')}`)
    await restoreWorkspace(folder)
    expect(read(folder, 'CLAUDE.md')).toBe('notes\n')
    expect(read(memory)).toBe('- own line\n')
  })

  it('removing, stashing, switching branches and merging work as without us', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    git(folder, 'switch', '-qc', 'other')
    writeFileSync(join(folder, 'CLAUDE.md'), 'other\n')
    git(folder, 'commit', '-qam', 'other')
    git(folder, 'switch', '-q', '-')
    await injectWorkspace(folder, FULL_CONTENT)
    appendFileSync(join(folder, 'code.ts'), 'more\n')
    git(folder, 'stash')
    git(folder, 'stash', 'pop')
    git(folder, 'commit', '-qam', 'code')
    git(folder, 'switch', '-q', 'other')
    git(folder, 'switch', '-q', '-')
    git(folder, 'merge', '-q', 'other')
    expect(commitAll(folder)).toEqual(['work.txt'])
    await restoreWorkspace(folder)
    expect(read(folder, 'CLAUDE.md')).toBe('other\n')
    expect(git(folder, 'status', '--porcelain')).toBe('')
  })

  it('deleting it, or everything that git does not know, is not undone', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    const told = settings(folder)
    await injectWorkspace(folder, FULL_CONTENT)
    git(folder, 'rm', '-qf', 'CLAUDE.md')
    git(folder, 'clean', '-qfdx')
    expect(await restoreWorkspace(folder)).toBe(true)
    expect(existsSync(join(folder, 'CLAUDE.md'))).toBe(false)
    expect(settings(folder)).toEqual(told)
  })

  it.each([
    ['add', '-A'],
    ['add', '-f', '.'],
    ['add', '-N', '.'],
    ['add', 'CLAUDE.md'],
    ['stash', '-u'],
    ['stash', '-a'],
  ])('git %s %s puts no new file of ours into the index or a commit, not even an empty one', async (...command) => {
    const folder = codeRepository()
    await injectWorkspace(folder, FULL_CONTENT)
    appendFileSync(join(folder, 'code.ts'), '// more\n')
    git(folder, ...command)
    git(folder, 'commit', '-qam', 'all', '--allow-empty')
    const names = git(folder, 'log', '--all', '-m', '--name-only', '--format=')
    expect(names.split('\n').filter((name) => /CLAUDE|MEMORY/.test(name))).toEqual([])
  })
})
