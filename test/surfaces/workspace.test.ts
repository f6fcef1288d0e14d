import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { git, scratch, settings, snapshot } from './git-workspace.ts'

const CONTENT = {
  instructions: '# Personality\n\nZebra voice\n\n# Role\n\nBe ünique\n',
  memory: '# Memory\n\n- Quokka fact\n',
}
const OURS = /Zebra|Quokka|nokosu/

function repository(files: Record<string, string> = {}): string {
  const folder = scratch()
  git(folder, 'init', '-q')
  writeFileSync(join(folder, 'code.ts'), 'export {}\n')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text, 'latin1')
  }
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'start')
  return folder
}

const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

/** Acts like an agent, and expects no nokosu text in any commit. */
function commitAll(folder: string): string[] {
  appendFileSync(join(folder, 'work.txt'), 'done\n')
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qam', 'x')
  expect(git(folder, 'log', '-p', '--all', '--format=')).not.toMatch(OURS)
  return git(folder, 'show', '--name-only', '--format=').trim().split('\n')
}

/** Git status of tracked files. New files of ours are untracked, like any new file. */
const changes = (folder: string) => git(folder, 'status', '--porcelain', '--untracked-files=no')

/** Injects, lets the agent commit, restores, and expects the original state. */
async function roundTrip(workspace: string, root = workspace): Promise<void> {
  const [before, told, status] = [snapshot(root), settings(root), changes(root)]
  await injectWorkspace(workspace, CONTENT)
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
    const folder = repository({ 'CLAUDE.md': '# Ours\n' })
    await injectWorkspace(folder, CONTENT)
    expect(read(folder, 'CLAUDE.md')).toMatch(
      /^<!-- nokosu:begin -->\n# Personality\n\nZebra voice\n\n# Role\n\nBe ünique\n\n@.claude\/memory\/MEMORY.md\n<!-- nokosu:end \w{16} -->\n# Ours\n$/,
    )
    // Marked as well: git cleans it, and a killed run's file is recognised.
    expect(read(folder, '.claude/memory/MEMORY.md')).toMatch(
      /^<!-- nokosu:begin -->\n# Memory\n\n- Quokka fact\n<!-- nokosu:end \w{16} -->\n$/,
    )
  })

  it('another agent’s file has the memories in it, for it knows no imports', async () => {
    const folder = repository({ 'AGENTS.md': '# Ours\n' })
    const before = snapshot(folder)
    await injectWorkspace(folder, CONTENT, { file: 'AGENTS.md' })
    expect(read(folder, 'AGENTS.md')).toMatch(/Zebra voice.*# Memory\n\n- Quokka fact\n<!--.*# Ours\n$/s)
    expect(Object.keys(snapshot(folder))).toEqual(Object.keys(before))
    await restoreWorkspace(folder, { file: 'AGENTS.md' })
    expect(snapshot(folder)).toEqual(before)
  })

  it('[A06] without memories there is neither file nor import, and a stale one goes', async () => {
    const folder = repository()
    await injectWorkspace(folder, CONTENT)
    await injectWorkspace(folder, { ...CONTENT, memory: '' })
    expect(existsSync(join(folder, '.claude'))).toBe(false)
    expect(read(folder, 'CLAUDE.md')).not.toContain('@.claude')
  })

  it('the same again gives the same, however often', async () => {
    const folder = repository({ 'CLAUDE.md': 'own' })
    await injectWorkspace(folder, CONTENT)
    const once = [read(folder, 'CLAUDE.md'), settings(folder)]
    await injectWorkspace(folder, CONTENT)
    await injectWorkspace(folder, CONTENT)
    expect([read(folder, 'CLAUDE.md'), settings(folder)]).toEqual(once)
  })

  it('nothing to say leaves nothing', async () => {
    const folder = repository()
    const before = snapshot(folder)
    await injectWorkspace(folder, { instructions: ' \n', memory: '' })
    expect(snapshot(folder)).toEqual(before)
  })

  it('text cannot end the block early', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    await injectWorkspace(folder, { ...CONTENT, instructions: 'a\n<!-- nokosu:end -->\nZebra' })
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
    await roundTrip(repository(files))
  })

  it('also when the repository commits a block like ours in the middle of its file', async () => {
    const folder = repository({ 'CLAUDE.md': 'How:\n<!-- nokosu:begin -->\nlike this\n<!-- nokosu:end -->\nend\n' })
    const before = snapshot(folder)
    await injectWorkspace(folder, CONTENT)
    expect(changes(folder)).toBe('')
    await restoreWorkspace(folder)
    expect(snapshot(folder)).toEqual(before)
  })

  it('a file with line ends that git converts', async () => {
    const folder = repository()
    git(folder, 'config', 'core.autocrlf', 'true')
    writeFileSync(join(folder, 'CLAUDE.md'), 'a\r\nb\r\n')
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'crlf')
    await roundTrip(folder)
  })

  it('changes that were there and not committed yet stay what they were', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    writeFileSync(join(folder, 'CLAUDE.md'), 'staged\n')
    git(folder, 'add', '-A')
    writeFileSync(join(folder, 'CLAUDE.md'), 'changed\n')
    const state = () => [changes(folder), git(folder, 'diff'), git(folder, 'diff', '--cached')]
    const [before, known] = [snapshot(folder), state()]
    await injectWorkspace(folder, CONTENT)
    expect(state()).toEqual(known)
    await restoreWorkspace(folder)
    expect(snapshot(folder)).toEqual(before)
    expect(state()).toEqual(known)
  })

  it('a file that the user told git to look away from', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    git(folder, 'update-index', '--skip-worktree', 'CLAUDE.md')
    writeFileSync(join(folder, 'CLAUDE.md'), 'private\n')
    const before = snapshot(folder)
    await injectWorkspace(folder, CONTENT)
    expect(commitAll(folder)).toEqual(['work.txt'])
    await restoreWorkspace(folder)
    rmSync(join(folder, 'work.txt'))
    expect(snapshot(folder)).toEqual(before)
    expect(git(folder, 'ls-files', '-t', 'CLAUDE.md')).toBe('S CLAUDE.md\n')
    expect(git(folder, 'show', 'HEAD:CLAUDE.md')).toBe('own\n')
  })

  it('a read-only file with an old time', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const file = join(folder, 'CLAUDE.md')
    utimesSync(file, 1_700_000_000.123, 1_700_000_000.456)
    chmodSync(file, 0o444)
    git(folder, 'commit', '-qam', 'mode', '--allow-empty')
    await roundTrip(folder)
    expect(lstatSync(file).mode & 0o777).toBe(0o444)
  })

  it('a link to a file beside it stays a link, and the file behind it is put back', async () => {
    const folder = repository({ 'AGENTS.md': 'agents\n' })
    symlinkSync('AGENTS.md', join(folder, 'CLAUDE.md'))
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'link')
    await roundTrip(folder)
  })

  it('a linked worktree, while another one is injected too', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const tree = join(scratch(), 'tree')
    git(folder, 'worktree', 'add', '-q', tree)
    await roundTrip(tree)
    const [told, before] = [settings(folder), snapshot(folder)]
    await injectWorkspace(folder, CONTENT)
    await injectWorkspace(tree, CONTENT)
    await restoreWorkspace(tree)
    // The other one is still protected.
    expect(commitAll(folder)).toEqual(['work.txt'])
    await restoreWorkspace(folder)
    rmSync(join(folder, 'work.txt'))
    expect(snapshot(folder)).toEqual(before)
    expect(settings(folder)).toEqual(told)
  })

  it('a worktree that was removed meanwhile leaves nothing behind', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const tree = join(scratch(), 'tree')
    const told = settings(folder)
    git(folder, 'worktree', 'add', '-q', tree)
    await injectWorkspace(tree, CONTENT)
    git(folder, 'worktree', 'remove', '--force', tree)
    await injectWorkspace(folder, CONTENT)
    await restoreWorkspace(folder)
    expect(settings(folder)).toEqual(told)
  })

  it.each(['packages/app', 'we ird [x]/ü*!#', ' lead "q" \\b '])('a subfolder of a repository: %s', async (sub) => {
    for (const own of [{ [`${sub}/CLAUDE.md`]: 'own\n' }, { [`${sub}/x`]: '' }]) {
      const folder = repository({ 'CLAUDE.md': 'root\n', ...own })
      await roundTrip(join(folder, sub), folder)
      expect(read(folder, 'CLAUDE.md')).toBe('root\n')
    }
  })

  it('no git at all', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'CLAUDE.md'), 'own')
    const before = snapshot(folder)
    await injectWorkspace(folder, CONTENT)
    expect(read(folder, '.claude/memory/MEMORY.md')).toContain(CONTENT.memory)
    expect(await restoreWorkspace(folder)).toBe(true)
    expect(snapshot(folder)).toEqual(before)
  })

  it('a failure halfway', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const [before, told] = [snapshot(folder), settings(folder)]
    writeFileSync(join(folder, '.git/config.lock'), '')
    await expect(injectWorkspace(folder, CONTENT)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    expect(snapshot(folder)).toEqual(before)
    expect(settings(folder)).toEqual(told)
    expect(await restoreWorkspace(folder)).toBe(false)
  })

  it('a repository that the agent only now makes', async () => {
    const folder = scratch()
    const before = snapshot(folder)
    await injectWorkspace(folder, CONTENT)
    git(folder, 'init', '-q')
    expect(await restoreWorkspace(folder)).toBe(true)
    expect(snapshot(folder)).toEqual(before)
  })

  it('lines that were in git’s own files before', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    writeFileSync(join(folder, '.git/info/exclude'), '*.log\n!keep')
    writeFileSync(join(folder, '.git/info/attributes'), '*.bin binary\n')
    await roundTrip(folder)
  })
})

describe('what the agent does to CLAUDE.md', () => {
  it('its edits around our block can be committed, without the block, and stay', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    await injectWorkspace(folder, CONTENT)
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
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    await injectWorkspace(folder, CONTENT)
    writeFileSync(join(folder, 'CLAUDE.md'), edit(read(folder, 'CLAUDE.md')))
    await restoreWorkspace(folder)
    expect(read(folder, 'CLAUDE.md')).toBe(expected)
  })

  it('folders and files in the place of ours are left alone', async () => {
    const folder = repository()
    const told = settings(folder)
    await injectWorkspace(folder, CONTENT)
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
    const folder = repository()
    await injectWorkspace(folder, CONTENT)
    appendFileSync(join(folder, 'CLAUDE.md'), 'notes\n')
    const memory = join(folder, '.claude/memory/MEMORY.md')
    writeFileSync(memory, `${read(memory).replace('# Memory\n', '# Memory\n- own line\n')}`)
    await restoreWorkspace(folder)
    expect(read(folder, 'CLAUDE.md')).toBe('notes\n')
    expect(read(memory)).toBe('- own line\n')
  })

  it('removing, stashing, switching branches and merging work as without us', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    git(folder, 'switch', '-qc', 'other')
    writeFileSync(join(folder, 'CLAUDE.md'), 'other\n')
    git(folder, 'commit', '-qam', 'other')
    git(folder, 'switch', '-q', '-')
    await injectWorkspace(folder, CONTENT)
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
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const told = settings(folder)
    await injectWorkspace(folder, CONTENT)
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
    const folder = repository()
    await injectWorkspace(folder, CONTENT)
    appendFileSync(join(folder, 'code.ts'), '// more\n')
    git(folder, ...command)
    git(folder, 'commit', '-qam', 'all', '--allow-empty')
    const names = git(folder, 'log', '--all', '-m', '--name-only', '--format=')
    expect(names.split('\n').filter((name) => /CLAUDE|MEMORY/.test(name))).toEqual([])
  })
})

describe('what cannot be', () => {
  it('a workspace that is not there, or no folder', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'file'), '')
    for (const bad of ['none', 'file']) {
      await expect(injectWorkspace(join(folder, bad), CONTENT)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    }
  })

  it('refuses links that lead out, folders in the way, and names that would be committed, and changes nothing', async () => {
    const outside = scratch()
    const cases: ((folder: string) => void)[] = [
      (folder) => symlinkSync(outside, join(folder, '.claude')),
      (folder) => mkdirSync(join(folder, 'CLAUDE.md')),
      (folder) => writeFileSync(join(folder, '.claude'), ''),
      (folder) => {
        mkdirSync(join(folder, '.git/hooks'), { recursive: true })
        writeFileSync(join(folder, '.git/hooks/post-index-change'), '#!/bin/sh\n')
      },
      (folder) => void git(folder, 'config', 'core.hooksPath', '.husky/_'),
      (folder) => {
        rmSync(join(folder, '.git/hooks'), { recursive: true, force: true })
        symlinkSync(outside, join(folder, '.git/hooks'))
      },
      (folder) => symlinkSync(join(outside, 'shared.md'), join(folder, 'CLAUDE.md')),
      (folder) => {
        writeFileSync(join(folder, '.gitattributes'), 'CLAUDE.md filter=upper\n')
        writeFileSync(join(folder, 'CLAUDE.md'), 'own\n')
      },
      (folder) => {
        writeFileSync(join(folder, 'CLAUDE.md'), 'own\n')
        git(folder, 'add', '-A')
        git(folder, 'commit', '-qm', 'own')
        git(folder, 'sparse-checkout', 'set', '--no-cone', '/*', '!/CLAUDE.md')
      },
    ]
    for (const spoil of cases) {
      const folder = repository()
      spoil(folder)
      const [before, told] = [snapshot(folder), settings(folder)]
      await expect(injectWorkspace(folder, CONTENT)).rejects.toMatchObject({ name: 'MemoryError' })
      expect(snapshot(folder)).toEqual(before)
      expect(settings(folder)).toEqual(told)
    }
    expect(snapshot(outside)).toEqual({ '/': 'folder' })
  })

  it.each(['../CLAUDE.md', '/tmp/CLAUDE.md', '.git/CLAUDE.md'])(
    'a name that is not in the workspace: %s',
    async (file) => {
      await expect(injectWorkspace(repository(), CONTENT, { file })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    },
  )

  it('a block that no record tells of is removed while it is as we wrote it, with its memory file', async () => {
    for (const own of ['own\n', null]) {
      const folder = repository(own === null ? {} : { 'CLAUDE.md': own })
      const before = Object.keys(snapshot(folder))
      await injectWorkspace(folder, CONTENT)
      rmSync(join(folder, '.git/nokosu'), { recursive: true })
      expect(await restoreWorkspace(folder)).toBe(true)
      expect(Object.keys(snapshot(folder))).toEqual(before)
      if (own !== null) expect(read(folder, 'CLAUDE.md')).toBe(own)
    }
    const folder = repository()
    await injectWorkspace(folder, { ...CONTENT, memory: '' })
    rmSync(join(folder, '.git/nokosu'), { recursive: true })
    const edited = read(folder, 'CLAUDE.md').replace('Zebra', 'Lion')
    writeFileSync(join(folder, 'CLAUDE.md'), edited)
    expect(await restoreWorkspace(folder)).toBe(false)
    expect(read(folder, 'CLAUDE.md')).toBe(edited)
  })
})
