import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { injectWorkspace } from '../../src/agents/workspace/workspace.ts'
import { git } from './git-workspace.ts'
import { AGENT, runWorkspace } from './run-agent.ts'
import { CONTENT, MEMORY, OURS, read, repository } from './workspace-files.ts'

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
    const args = '--agent nori --project shop --inject files --extract off --store-timeout 120'.split(' ')
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
