import { chmodSync, existsSync, lstatSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { git, scratch, settings, snapshot } from './git-workspace.ts'
import { codeRepository, commitAll, FULL_CONTENT, read } from './workspace-files.ts'

/** Git status of tracked files. New files of ours are untracked, like any new file. */
const changes = (folder: string) => git(folder, 'status', '--porcelain', '--untracked-files=no')

/** Injects, lets the agent commit, restores, and expects the original state. */
async function roundTrip(workspace: string, root = workspace): Promise<void> {
  const [before, told, status] = [snapshot(root), settings(root), changes(root)]
  await injectWorkspace(workspace, FULL_CONTENT)
  expect(read(workspace, 'CLAUDE.md')).toContain('Zebra voice')
  expect(changes(root)).toBe(status)
  expect(commitAll(root)).toEqual(['work.txt'])
  expect(await restoreWorkspace(workspace)).toBe(true)
  rmSync(join(root, 'work.txt'))
  expect(snapshot(root)).toEqual(before)
  expect(settings(root)).toEqual(told)
  expect(git(root, 'diff-index', 'HEAD', '--', ':!work.txt')).toBe('')
  expect(await restoreWorkspace(workspace)).toBe(false)
}

describe('what the agent finds', () => {
  it('[B02] [A05] the block with the import, before what the repository has, and the memory file beside it', async () => {
    const folder = codeRepository({ 'CLAUDE.md': '# Ours\n' })
    await injectWorkspace(folder, FULL_CONTENT)
    expect(read(folder, 'CLAUDE.md')).toMatch(
      /^<!-- nokosu:begin -->\n# Personality\n\nZebra voice\n\n# Role\n\nBe ünique\n\n@.claude\/memory\/MEMORY.md\n<!-- nokosu:end \w{16} -->\n# Ours\n$/,
    )
    // Marked as well: git cleans it, and a killed run's file is recognised.
    expect(read(folder, '.claude/memory/MEMORY.md')).toMatch(
      /^<!-- nokosu:begin -->\n# Memory\n\n- Quokka fact\n<!-- nokosu:end \w{16} -->\n$/,
    )
  })

  it('another agent’s file has the memories in it, for it knows no imports', async () => {
    const folder = codeRepository({ 'AGENTS.md': '# Ours\n' })
    const before = snapshot(folder)
    await injectWorkspace(folder, FULL_CONTENT, { file: 'AGENTS.md' })
    expect(read(folder, 'AGENTS.md')).toMatch(/Zebra voice.*# Memory\n\n- Quokka fact\n<!--.*# Ours\n$/s)
    expect(Object.keys(snapshot(folder))).toEqual(Object.keys(before))
    await restoreWorkspace(folder, { file: 'AGENTS.md' })
    expect(snapshot(folder)).toEqual(before)
  })

  it('[A06] without memories there is neither file nor import, and a stale one goes', async () => {
    const folder = codeRepository()
    await injectWorkspace(folder, FULL_CONTENT)
    await injectWorkspace(folder, { ...FULL_CONTENT, memory: '' })
    expect(existsSync(join(folder, '.claude'))).toBe(false)
    expect(read(folder, 'CLAUDE.md')).not.toContain('@.claude')
  })

  it('the same again gives the same, however often', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own' })
    await injectWorkspace(folder, FULL_CONTENT)
    const once = [read(folder, 'CLAUDE.md'), settings(folder)]
    await injectWorkspace(folder, FULL_CONTENT)
    await injectWorkspace(folder, FULL_CONTENT)
    expect([read(folder, 'CLAUDE.md'), settings(folder)]).toEqual(once)
  })

  it('nothing to say leaves nothing', async () => {
    const folder = codeRepository()
    const before = snapshot(folder)
    await injectWorkspace(folder, { instructions: ' \n', memory: '' })
    expect(snapshot(folder)).toEqual(before)
  })

  it('text cannot end the block early', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    await injectWorkspace(folder, { ...FULL_CONTENT, instructions: 'a\n<!-- nokosu:end -->\nZebra' })
    expect(commitAll(folder)).toEqual(['work.txt'])
    await restoreWorkspace(folder)
    expect(read(folder, 'CLAUDE.md')).toBe('own\n')
  })
})

describe('nothing of it is committed, and everything comes back', () => {
  it.each([
    ['no CLAUDE.md', {}],
    ['one of its own', { 'CLAUDE.md': '# Ours\n\nText\n' }],
    ['no final newline', { 'CLAUDE.md': '# Ours' }],
    ['CRLF', { 'CLAUDE.md': '# Ours\r\n\r\nText\r\n' }],
    ['an empty one', { 'CLAUDE.md': '' }],
    ['bytes that are not UTF-8', { 'CLAUDE.md': '\u00ff\u00fe\u0000x\u00e9\n' }],
    [
      'our markers in its text',
      {
        'CLAUDE.md': 'How:\n<!-- nokosu:begin -->\nlike this\n<!-- nokosu:end -->\nend\n'.replaceAll(
          'nokosu',
          'Nokosu',
        ),
      },
    ],
    ['a memory file of its own', { 'CLAUDE.md': 'a\n', '.claude/memory/MEMORY.md': '- mine\n' }],
    ['other files in .claude', { '.claude/settings.json': '{}\n', '.claude/memory/notes.md': 'x\n' }],
    ['attributes for line ends', { '.gitattributes': '* text=auto eol=crlf\n', 'CLAUDE.md': 'a\nb\n' }],
  ])('in a repository with %s', async (_, files) => {
    await roundTrip(codeRepository(files))
  })

  it('also when the repository commits a block like ours in the middle of its file', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'How:\n<!-- nokosu:begin -->\nlike this\n<!-- nokosu:end -->\nend\n' })
    const before = snapshot(folder)
    await injectWorkspace(folder, FULL_CONTENT)
    expect(changes(folder)).toBe('')
    await restoreWorkspace(folder)
    expect(snapshot(folder)).toEqual(before)
  })

  it('a file with line ends that git converts', async () => {
    const folder = codeRepository()
    git(folder, 'config', 'core.autocrlf', 'true')
    writeFileSync(join(folder, 'CLAUDE.md'), 'a\r\nb\r\n')
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'crlf')
    await roundTrip(folder)
  })

  it('changes that were there and not committed yet stay what they were', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    writeFileSync(join(folder, 'CLAUDE.md'), 'staged\n')
    git(folder, 'add', '-A')
    writeFileSync(join(folder, 'CLAUDE.md'), 'changed\n')
    const state = () => [changes(folder), git(folder, 'diff'), git(folder, 'diff', '--cached')]
    const [before, known] = [snapshot(folder), state()]
    await injectWorkspace(folder, FULL_CONTENT)
    expect(state()).toEqual(known)
    await restoreWorkspace(folder)
    expect(snapshot(folder)).toEqual(before)
    expect(state()).toEqual(known)
  })

  it('a file that the user told git to look away from', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    git(folder, 'update-index', '--skip-worktree', 'CLAUDE.md')
    writeFileSync(join(folder, 'CLAUDE.md'), 'private\n')
    const before = snapshot(folder)
    await injectWorkspace(folder, FULL_CONTENT)
    expect(commitAll(folder)).toEqual(['work.txt'])
    await restoreWorkspace(folder)
    rmSync(join(folder, 'work.txt'))
    expect(snapshot(folder)).toEqual(before)
    expect(git(folder, 'ls-files', '-t', 'CLAUDE.md')).toBe('S CLAUDE.md\n')
    expect(git(folder, 'show', 'HEAD:CLAUDE.md')).toBe('own\n')
  })

  it('a read-only file with an old time', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    const file = join(folder, 'CLAUDE.md')
    utimesSync(file, 1_700_000_000.123, 1_700_000_000.456)
    chmodSync(file, 0o444)
    git(folder, 'commit', '-qam', 'mode', '--allow-empty')
    await roundTrip(folder)
    expect(lstatSync(file).mode & 0o777).toBe(0o444)
  })

  it('a link to a file beside it stays a link, and the file behind it is put back', async () => {
    const folder = codeRepository({ 'AGENTS.md': 'agents\n' })
    symlinkSync('AGENTS.md', join(folder, 'CLAUDE.md'))
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'link')
    await roundTrip(folder)
  })

  it('a linked worktree, while another one is injected too', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    const tree = join(scratch(), 'tree')
    git(folder, 'worktree', 'add', '-q', tree)
    await roundTrip(tree)
    const [told, before] = [settings(folder), snapshot(folder)]
    await injectWorkspace(folder, FULL_CONTENT)
    await injectWorkspace(tree, FULL_CONTENT)
    await restoreWorkspace(tree)
    // The other one is still protected.
    expect(commitAll(folder)).toEqual(['work.txt'])
    await restoreWorkspace(folder)
    rmSync(join(folder, 'work.txt'))
    expect(snapshot(folder)).toEqual(before)
    expect(settings(folder)).toEqual(told)
  })

  it('a worktree that was removed meanwhile leaves nothing behind', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    const tree = join(scratch(), 'tree')
    const told = settings(folder)
    git(folder, 'worktree', 'add', '-q', tree)
    await injectWorkspace(tree, FULL_CONTENT)
    git(folder, 'worktree', 'remove', '--force', tree)
    await injectWorkspace(folder, FULL_CONTENT)
    await restoreWorkspace(folder)
    expect(settings(folder)).toEqual(told)
  })

  it.each(['packages/app', 'we ird [x]/ü*!#', ' lead "q" \\b '])('a subfolder of a repository: %s', async (sub) => {
    for (const own of [{ [`${sub}/CLAUDE.md`]: 'own\n' }, { [`${sub}/x`]: '' }]) {
      const folder = codeRepository({ 'CLAUDE.md': 'root\n', ...own })
      await roundTrip(join(folder, sub), folder)
      expect(read(folder, 'CLAUDE.md')).toBe('root\n')
    }
  })

  it('no git at all', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'CLAUDE.md'), 'own')
    const before = snapshot(folder)
    await injectWorkspace(folder, FULL_CONTENT)
    expect(read(folder, '.claude/memory/MEMORY.md')).toContain(FULL_CONTENT.memory)
    expect(await restoreWorkspace(folder)).toBe(true)
    expect(snapshot(folder)).toEqual(before)
  })

  it('a failure halfway', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    const [before, told] = [snapshot(folder), settings(folder)]
    writeFileSync(join(folder, '.git/config.lock'), '')
    await expect(injectWorkspace(folder, FULL_CONTENT)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    expect(snapshot(folder)).toEqual(before)
    expect(settings(folder)).toEqual(told)
    expect(await restoreWorkspace(folder)).toBe(false)
  })

  it('a repository that the agent only now makes', async () => {
    const folder = scratch()
    const before = snapshot(folder)
    await injectWorkspace(folder, FULL_CONTENT)
    git(folder, 'init', '-q')
    expect(await restoreWorkspace(folder)).toBe(true)
    expect(snapshot(folder)).toEqual(before)
  })

  it('lines that were in git’s own files before', async () => {
    const folder = codeRepository({ 'CLAUDE.md': 'own\n' })
    writeFileSync(join(folder, '.git/info/exclude'), '*.log\n!keep')
    writeFileSync(join(folder, '.git/info/attributes'), '*.bin binary\n')
    await roundTrip(folder)
  })
})
