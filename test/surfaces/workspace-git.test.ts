import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, lstatSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { git, scratch, settings, snapshot } from './git-workspace.ts'
import { AGENT, runWorkspace } from './run-agent.ts'
import { CONTENT, MEMORY, OURS, read, repository } from './workspace-files.ts'

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
      ...'core.fsmonitor core.pager pager.status core.editor diff.external diff.x.textconv'.split(' '),
      ...'merge.x.driver filter.x.clean filter.x.smudge'.split(' '),
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
