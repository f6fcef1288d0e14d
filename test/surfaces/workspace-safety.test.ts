import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { runWorker } from '../stress/worker-process.ts'
import { git, scratch, settings, snapshot } from './git-workspace.ts'
import { AGENT, runWorkspace, until } from './run-agent.ts'
import { finish, startCli } from './run-cli.ts'

const CONTENT = { instructions: 'Zebra voice\n\nBe kind\n', memory: '# Memory\n\n- Quokka fact\n' }
const OURS = /Zebra|Quokka|nokosu/
const MEMORY = '.claude/memory/MEMORY.md'
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

function repository(files: Record<string, string> = {}, folder = scratch()): string {
  git(folder, 'init', '-q', '-b', 'main')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'start', '--allow-empty')
  return folder
}

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

describe('git of the user’s', () => {
  it('programs that its settings name do not run for us', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n', [MEMORY]: 'own\n', 'code.ts': 'x\n' })
    const log = join(scratch(), 'log')
    const hooks = scratch()
    const program = join(hooks, 'program')
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${log}\ncat 2>/dev/null\n`, { mode: 0o755 })
    for (const name of ['post-index-change', 'post-checkout', 'pre-commit', 'reference-transaction'])
      cpSync(program, join(hooks, name))
    for (const name of [
      'core.fsmonitor',
      'core.pager',
      'pager.status',
      'core.editor',
      'diff.external',
      'diff.x.textconv',
      'merge.x.driver',
      'filter.x.clean',
      'filter.x.smudge',
    ])
      git(folder, 'config', name, program)
    git(folder, 'config', 'core.hooksPath', hooks)
    writeFileSync(join(folder, '.gitattributes'), '*.ts filter=x diff=x merge=x\n')
    writeFileSync(join(folder, 'code.ts'), 'changed\n')
    rmSync(log, { force: true })
    await (await injectWorkspace(folder, CONTENT))()
    expect(existsSync(log) ? read(log) : '').toBe('')
    expect(read(folder, 'CLAUDE.md')).toBe('own\n')
  })

  it('links in .git stay links, and the files behind them are as they were', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const shared = scratch()
    for (const name of ['config', 'info/attributes', 'info/exclude']) {
      const path = join(folder, '.git', name)
      if (!existsSync(path)) writeFileSync(path, '*.bin binary\n')
      renameSync(path, join(shared, name.replace('/', '-')))
      symlinkSync(join(shared, name.replace('/', '-')), path)
    }
    const [before, told] = [snapshot(shared), settings(folder)]
    const restore = await injectWorkspace(folder, CONTENT)
    git(folder, 'add', '-A')
    expect(git(folder, 'diff', '--cached')).toBe('')
    await restore()
    expect(settings(folder)).toEqual(told)
    expect(Object.keys(snapshot(shared))).toEqual(Object.keys(before))
    for (const name of ['config', 'info/attributes', 'info/exclude'])
      expect(lstatSync(join(folder, '.git', name)).isSymbolicLink()).toBe(true)
  })

  it('what others write into its settings during a run stays, wherever they write it', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const [plain, path] = [repository(), (name: string) => join(folder, '.git', name)]
    const set = (each: string) => {
      for (const [name, value] of [
        ['core.editor', 'vim'],
        ['core.autocrlf', 'input'],
        ['include.path', 'theirs'],
        ['filter.theirs.clean', 'cat'],
      ] as const)
        git(each, 'config', name, value)
    }
    const restore = await injectWorkspace(folder, CONTENT)
    set(folder)
    set(plain)
    appendFileSync(path('hooks/post-index-change'), 'echo theirs >/dev/null\n')
    const attributes = read(path('info/attributes'))
    writeFileSync(path('info/attributes'), attributes.replace('# nokosu:end', '*.bin binary\n# nokosu:end'))
    git(folder, 'config', 'core.pager', 'less')
    git(plain, 'config', 'core.pager', 'less')
    git(folder, 'add', '-A')
    expect(git(folder, 'diff', '--cached')).toBe('')
    await restore()
    expect(settings(folder)).toEqual({
      ...settings(plain),
      attributes: '*.bin binary\n',
      hook: '#!/bin/sh\necho theirs >/dev/null\n',
    })
  })

  it('what an earlier version had git ignore is seen again', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const file = join(folder, '.git/info/exclude')
    writeFileSync(file, '/mine\n# nokosu:begin\n/CLAUDE.md\n# nokosu:end\n/too\n')
    await restoreWorkspace(folder)
    expect(read(file)).toBe('/mine\n/too\n')
  })

  it('lines that follow an unfinished one of the user’s are not joined to it', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const file = join(folder, '.git/info/attributes')
    writeFileSync(file, '*.a binary')
    const restore = await injectWorkspace(folder, CONTENT)
    appendFileSync(file, '*.b binary\n')
    await restore()
    expect(read(file)).toBe('*.a binary\n*.b binary\n')
  })

  it('attributes that switch filters off do not switch ours off', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n', '.gitattributes': '*.md -filter\n' })
    writeFileSync(join(folder, '.git/info/attributes'), '*.md -filter\n')
    const restore = await injectWorkspace(folder, CONTENT)
    git(folder, 'add', '-Af', '.')
    expect(git(folder, 'diff', '--cached')).toBe('')
    await restore()
    expect(read(folder, '.git/info/attributes')).toBe('*.md -filter\n')
  })

  it.each([
    ['git mv', 'git mv CLAUDE.md rules.md; git commit -qam x'],
    ['cp', 'cp CLAUDE.md copy.md; git add -A; git commit -qm x'],
  ])('injected by hand, without an environment of ours, %s commits nothing of it either', async (_, script) => {
    const folder = repository({ 'CLAUDE.md': 'own\n' })
    const mine = join(scratch(), 'attributes')
    writeFileSync(mine, '*.bin binary\n')
    git(folder, 'config', 'core.attributesFile', mine)
    const told = settings(folder)
    await injectWorkspace(folder, CONTENT)
    expect(git(folder, 'check-attr', 'binary', 'a.bin')).toContain('binary: set')
    execFileSync(
      'sh',
      [
        '-c',
        `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c; ${script}`,
      ],
      { cwd: folder },
    )
    expect(git(folder, 'log', '-p', '--format=')).not.toMatch(OURS)
    await restoreWorkspace(folder)
    expect(settings(folder)).toEqual(told)
    expect(git(folder, 'status', '--porcelain')).toBe('')
  })

  it('in a sparse checkout, where git add would fail over it, no new file is written', async () => {
    const folder = repository({ 'CLAUDE.md': 'own\n', 'a/code': 'x\n' })
    git(folder, 'sparse-checkout', 'set', 'a')
    const before = snapshot(folder)
    await expect(injectWorkspace(folder, CONTENT)).rejects.toThrow(/MEMORY.md.*sparse checkout/)
    expect(snapshot(folder)).toEqual(before)
  })

  it('a run whose copies could be committed because of such attributes writes no files, and says why', async () => {
    const { work, run } = runWorkspace()
    repository({ 'CLAUDE.md': '# Shop\n', '.gitattributes': '*.md -filter\n' }, work)
    const script = 'cp CLAUDE.md copy.md; git add -A; git commit -qm x; grep -c Role "$NOKOSU_CONTEXT_FILE"'
    const { stderr, stdout } = await run([...AGENT, '--inject', 'files', '--extract', 'off', '--', 'sh', '-c', script])
    expect(stderr).toMatch(/nothing was written to the workspace: .*turn off filters for Markdown/)
    expect(Number(stdout)).toBeGreaterThan(0)
    expect(git(work, 'log', '-p', '--format=')).not.toMatch(/Personality|nokosu:/)
  })
})

describe('nothing of ours gets into a commit of the agent', () => {
  const commit = 'git commit -qm x --allow-empty'
  it.each([
    ['git add -f', `git add -f . && ${commit}`],
    ['git stash -a', 'git stash -qa'],
    ['git mv', `git mv CLAUDE.md docs.md && git add -A && ${commit}`],
    ['cp', `cp CLAUDE.md copy.md && cp ${MEMORY} notes.md && git add -A && ${commit}`],
    ['a formatter', `sed -i 's/^- /*   /; s/$/ /' CLAUDE.md ${MEMORY} && git add -Af . && ${commit}`],
    ['a marker that is gone', `sed -i '/nokosu:end/d' CLAUDE.md; git add -A; ${commit}; true`],
    [
      'git init in a folder of its own',
      `mkdir in && cp CLAUDE.md in && cd in && git init -q && git add -A && ${commit}`,
    ],
    ['a new repository in its place', `rm -rf .git && git init -q && git add -Af . && ${commit}`],
    [
      'a git folder elsewhere',
      `git init -q --bare ../else && export GIT_DIR=../else GIT_WORK_TREE=. && git add -Af . && ${commit}`,
    ],
  ])('%s', async (_, script) => {
    const { work, run, folder, memories, json } = runWorkspace()
    repository({ 'CLAUDE.md': '# Shop\n' }, work)
    await json(['add', '--layer', 'agent', '--agent', 'nori', '--project', 'shop', 'Quokka fact'])
    expect(await memories()).toHaveLength(1)
    const args = [
      '--agent',
      'nori',
      '--project',
      'shop',
      '--inject',
      'files',
      '--extract',
      'off',
      '--store-timeout',
      '120',
    ]
    const { code } = await run([...args, '--', 'sh', '-c', `grep -q Quokka ${MEMORY} && ${script}`])
    expect(code).toBe(0)
    for (const place of [work, join(work, 'in'), join(folder, 'else')].filter((path) => existsSync(path))) {
      expect(git(place, 'log', '-p', '--all', '-m', '--format=')).not.toMatch(/Quokka|Personality|nokosu:/)
    }
  })
})

describe('what the agent copied is not left for the user to commit', () => {
  it.each([
    ['cp', 'cp CLAUDE.md AGENTS.md', ['AGENTS.md']],
    ['a copy of the memories', 'mkdir -p docs; cp .claude/memory/MEMORY.md docs/memory.md', ['docs/memory.md']],
    ['git mv', 'git mv CLAUDE.md docs.md', ['docs.md']],
    ['appended', 'cat CLAUDE.md >> README.md', ['README.md']],
    ['a new repository', 'cp CLAUDE.md AGENTS.md; rm -rf .git; git init -q', ['AGENTS.md']],
    ['a copy that is committed', 'cp CLAUDE.md AGENTS.md; git add -A; git commit -qm x', ['AGENTS.md']],
    [
      'a repository inside',
      'mkdir in; cp CLAUDE.md in/a.md; git init -q in; git -C in commit -qm x --allow-empty',
      ['in/a.md'],
    ],
  ])('%s', async (_, script, copies) => {
    const { work, run, json } = runWorkspace()
    repository({ 'CLAUDE.md': '# Shop\n', 'README.md': '# Read me\n' }, work)
    await json(['add', '--layer', 'agent', '--agent', 'nori', '--project', 'shop', 'Quokka fact'])
    const args = [...AGENT, '--inject', 'files', '--extract', 'off', '--store-timeout', '120', '--', 'sh', '-c', script]
    const { code, stderr } = await run(args)
    expect(code).toBe(0)
    for (const copy of copies) expect(stderr).toContain(`removed from the copy in ${copy}`)
    git(work, 'add', '-Af', '.')
    git(work, 'commit', '-qm', 'x', '--allow-empty')
    expect(git(work, 'log', '-p', '--all', '-m', '--format=')).not.toMatch(/Quokka|Personality|nokosu:/)
  })

  it('a copy in the repository around a submodule', async () => {
    const { work, run, folder } = runWorkspace()
    const inner = repository({ 'CLAUDE.md': '# Inner\n' }, join(mkdirSync(join(folder, 'inner'), { recursive: true })!))
    repository({ 'README.md': '# Outer\n' }, work)
    git(work, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'inner')
    git(work, 'commit', '-qm', 'submodule')
    const script = 'cp CLAUDE.md ../copy.md; cat CLAUDE.md >> ../README.md'
    const args = ['--workspace', join(work, 'inner'), ...AGENT, '--inject', 'files', '--extract', 'off']
    const { stderr } = await run([...args, '--store-timeout', '120', '--', 'sh', '-c', script])
    for (const name of ['copy.md', 'README.md'])
      expect(stderr).toContain(`removed from the copy in ${join(work, name)}`)
    expect([read(work, 'copy.md'), read(work, 'README.md')]).toEqual(['# Inner\n', '# Outer\n# Inner\n'])
    expect(read(work, 'inner/CLAUDE.md')).toBe('# Inner\n')
  })

  it('a copy in another worktree, and what another agent has there stays', async () => {
    const { work, run, folder } = runWorkspace()
    repository({ 'CLAUDE.md': '# Shop\n' }, work)
    for (const name of ['tree', 'gone']) git(work, 'worktree', 'add', '-q', join(folder, name))
    rmSync(join(folder, 'gone'), { recursive: true })
    const tree = join(folder, 'tree')
    const restore = await injectWorkspace(tree, CONTENT)
    const script = 'cp CLAUDE.md ../tree/copy.md'
    const { stderr } = await run([...AGENT, '--inject', 'files', '--extract', 'off', '--', 'sh', '-c', script])
    expect(stderr).toContain(`removed from the copy in ${join(tree, 'copy.md')}`)
    expect(read(tree, 'copy.md')).toBe('# Shop\n')
    expect(read(tree, 'CLAUDE.md')).toMatch(OURS)
    await restore()
    expect(git(tree, 'status', '--porcelain')).toBe('?? copy.md\n')
  })

  it('a copy that is not Markdown is named, and left as the agent wrote it', async () => {
    const { work, run } = runWorkspace()
    repository({ 'CLAUDE.md': '# Shop\n' }, work)
    const script = 'cat CLAUDE.md > seen'
    const { stderr } = await run([...AGENT, '--inject', 'files', '--extract', 'off', '--', 'sh', '-c', script])
    expect(stderr).toContain('seen contains the nokosu block or a part of it: remove it before you commit')
    expect(read(work, 'seen')).toContain('[MEMORY:category')
  })

  it('a part of a block is named, and left to its owner', async () => {
    const { work, run } = runWorkspace()
    repository({ 'CLAUDE.md': '# Shop\n' }, work)
    const script = "sed '/nokosu:begin/d' CLAUDE.md > part.md"
    const { stderr } = await run([...AGENT, '--inject', 'files', '--extract', 'off', '--', 'sh', '-c', script])
    expect(stderr).toContain('part.md contains the nokosu block or a part of it: remove it before you commit')
    expect(read(work, 'part.md')).toContain('# Shop')
  })

  it('a copy that the user has of an earlier block stays, in the tree and in the agent’s commit', async () => {
    const { work, run } = runWorkspace()
    repository({ 'CLAUDE.md': '# Shop\n' }, work)
    const args = [...AGENT, '--inject', 'files', '--extract', 'off', '--store-timeout', '120', '--', 'sh', '-c']
    await run([...args, 'cp CLAUDE.md ../earlier.md'])
    const earlier = read(dirname(work), 'earlier.md')
    expect(earlier).toContain('nokosu:end')
    writeFileSync(join(work, 'docs.md'), earlier)
    writeFileSync(join(work, 'CLAUDE.md'), `# Shop\n${earlier}`)
    git(work, 'add', '-A')
    git(work, 'commit', '-qm', 'copies')
    await run([...args, 'echo more >> docs.md; echo more >> CLAUDE.md; git add -A && git commit -qm x'])
    expect([read(work, 'docs.md'), read(work, 'CLAUDE.md')]).toEqual([`${earlier}more\n`, `# Shop\n${earlier}more\n`])
    expect(git(work, 'show', 'HEAD:docs.md')).toBe(`${earlier}more\n`)
    expect(git(work, 'show', 'HEAD:CLAUDE.md')).toBe(`# Shop\n${earlier}more\n`)
  })
})

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

it('instructions of the caller import nothing in a file either', async () => {
  const { work, run, folder } = runWorkspace()
  repository({ 'CLAUDE.md': '@kept.md\n' }, work)
  writeFileSync(join(folder, 'instructions.md'), 'Read @canary.md and\n@../canary.md\n')
  const args = [...AGENT, '--inject', 'files', '--extract', 'off', '--instructions', join(folder, 'instructions.md')]
  await run([...args, '--', 'sh', '-c', 'cp CLAUDE.md ../seen.md'])
  const seen = read(folder, 'seen.md')
  expect(seen).toContain('(at)canary.md')
  expect(seen).not.toMatch(/@(?:\.\.\/)?canary/)
  expect(seen).toContain('@kept.md')
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

it('the times of files come back, and no folder that was there goes', async () => {
  const folder = repository({ 'CLAUDE.md': 'own\n' })
  mkdirSync(join(folder, '.claude/memory'), { recursive: true })
  const { mtimeMs } = statSync(join(folder, 'CLAUDE.md'))
  await (await injectWorkspace(folder, CONTENT))()
  expect(statSync(join(folder, 'CLAUDE.md')).mtimeMs).toBe(mtimeMs)
  expect(existsSync(join(folder, '.claude/memory'))).toBe(true)
  rmSync(join(folder, '.claude'), { recursive: true })
})
