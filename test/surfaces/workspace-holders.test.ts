import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHolder, injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { git, scratch, settings, snapshot } from './git-workspace.ts'

const OWN = '# Shop\r\n\r\nown text'
const content = (name: string, memory = `# Memory\n\n- Quokka of ${name}\n`) => ({
  instructions: `Zebra ${name}`,
  memory,
})
const OURS = /Zebra|Quokka|nokosu/

function repository(files: Record<string, string> = { 'CLAUDE.md': OWN }): string {
  const folder = scratch()
  git(folder, 'init', '-q')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'start', '--allow-empty')
  return folder
}

const read = (folder: string, name = 'CLAUDE.md') => readFileSync(join(folder, name), 'utf8')
const state = (folder: string) => ({
  tree: snapshot(folder),
  settings: existsSync(join(folder, '.git')) ? settings(folder) : null,
  status: existsSync(join(folder, '.git')) ? git(folder, 'status', '--porcelain') : null,
})
const MEMORY = '.claude/memory/MEMORY.md'

it.each([
  ['a tracked CLAUDE.md', () => repository()],
  ['nothing of its own', () => repository({})],
  ['a memory file of its own', () => repository({ 'CLAUDE.md': OWN, [MEMORY]: '- mine\n' })],
  ['no repository', () => scratch()],
])('the last holder restores, in whatever order they leave: %s', async (_, make) => {
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ]) {
    const folder = make()
    const before = state(folder)
    const own = existsSync(join(folder, 'CLAUDE.md')) ? OWN : ''
    const names = ['a', 'b', 'c']
    const holders = await Promise.all(names.map((name) => createHolder(name)))
    for (const [position, holder] of holders.entries()) {
      // The first has nothing to remember yet.
      await injectWorkspace(folder, content(names[position]!, position === 0 ? '' : undefined), { holder })
      expect(read(folder)).toMatch(new RegExp(`^<!-- nokosu:begin -->\nZebra ${names[position]}\n`))
      expect(state(folder).status).toBe(before.status)
    }
    const left = new Set([0, 1, 2])
    for (const position of order) {
      expect(await restoreWorkspace(folder, { holder: holders[position]! })).toBe(left.size === 1)
      left.delete(position)
      if (left.size === 0) break
      const newest = names[Math.max(...left)]!
      const imported = newest === 'a' ? '' : `\n@${MEMORY}\n`
      expect(read(folder)).toBe(`<!-- nokosu:begin -->\nZebra ${newest}\n${imported}<!-- nokosu:end -->\n${own}`)
      if (newest !== 'a') expect(read(folder, MEMORY)).toContain(`Quokka of ${newest}`)
      expect(state(folder).status).toBe(before.status)
    }
    expect(state(folder)).toEqual(before)
  }
})

it('what agents commit and write while they share the workspace stays, and nothing of ours is in it', async () => {
  const folder = repository()
  const [a, b] = [await createHolder('a'), await createHolder('b')]
  await injectWorkspace(folder, content('a'), { holder: a })
  appendFileSync(join(folder, 'CLAUDE.md'), '\nby the first')
  git(folder, 'commit', '-qam', 'one')
  await injectWorkspace(folder, content('b'), { holder: b })
  expect(git(folder, 'status', '--porcelain')).toBe('')
  writeFileSync(join(folder, 'CLAUDE.md'), `before\n${read(folder)}`)
  appendFileSync(join(folder, MEMORY), '- noted\n')
  await restoreWorkspace(folder, { holder: b })
  expect(read(folder)).toContain('Zebra a')
  expect(read(folder)).not.toContain('Zebra b')
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qam', 'two')
  await restoreWorkspace(folder, { holder: a })
  expect(git(folder, 'show', 'HEAD:CLAUDE.md')).toBe(`before\n${OWN}\nby the first`)
  expect(read(folder)).toBe(`before\n${OWN}\nby the first`)
  expect(read(folder, MEMORY)).toBe('- noted\n')
  expect(git(folder, 'log', '-p', '--all', '--format=')).not.toMatch(OURS)
})

it('a CLAUDE.md that one of them deleted is there for the next, and gone in the end', async () => {
  const folder = repository()
  const [a, b] = [await createHolder('a'), await createHolder('b')]
  await injectWorkspace(folder, content('a'), { holder: a })
  git(folder, 'rm', '-qf', 'CLAUDE.md')
  git(folder, 'clean', '-qfdx')
  git(folder, 'commit', '-qam', 'gone')
  await injectWorkspace(folder, content('b'), { holder: b })
  expect(read(folder)).toContain('Zebra b')
  expect(read(folder, MEMORY)).toContain('Quokka of b')
  rmSync(join(folder, 'CLAUDE.md'))
  await restoreWorkspace(folder, { holder: b })
  expect(existsSync(join(folder, 'CLAUDE.md'))).toBe(false)
  await restoreWorkspace(folder, { holder: a })
  expect(Object.keys(snapshot(folder))).toEqual(['/'])
})

it('by hand: refused while a run that lives holds it, naming it, unless by force', async () => {
  const folder = repository()
  const before = state(folder)
  const holder = await createHolder('nori')
  await injectWorkspace(folder, content('run'), { holder })
  await injectWorkspace(folder, content('hand'))
  expect(read(folder)).toContain('Zebra hand')
  await expect(restoreWorkspace(folder)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringMatching(`still in use by nori \\(process ${process.pid}, since `),
    details: { holders: [{ name: 'nori', pid: process.pid }] },
  })
  expect(read(folder)).toContain('Zebra hand')
  expect(await restoreWorkspace(folder, { force: true })).toBe(true)
  expect(state(folder)).toEqual(before)
  expect(await restoreWorkspace(folder, { holder })).toBe(false)
})

it('who is dead holds nothing: killed, gone, or another process by the same number', async () => {
  const folder = repository()
  const before = state(folder)
  const living = await createHolder('x')
  const unseen = { ...living, host: 'elsewhere' }
  for (const [holder, holds] of [
    [{ ...living, pid: 2 ** 22 + 1 }, false],
    [{ ...living, started: 'long ago' }, false],
    [{ ...unseen, since: new Date(Date.now() - 25 * 3600 * 1000).toISOString() }, false],
    [unseen, true],
    [living, true],
  ] as const) {
    await injectWorkspace(folder, content('x'), { holder })
    if (holds) await expect(restoreWorkspace(folder)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await restoreWorkspace(folder, { force: holds })).toBe(true)
    expect(state(folder)).toEqual(before)
  }
})

it('a process killed between its journal and its file: the next one knows which of the two is there', async () => {
  for (const written of ['old', 'new']) {
    const folder = repository()
    const before = state(folder)
    const [a, b] = [await createHolder('a'), await createHolder('b')]
    // One begins like the other.
    const [old, next] = ['# Memory\n\n- Quokka\n', '# Memory\n\n- Quokka\n- Quokka too\n']
    await injectWorkspace(folder, content('a', old), { holder: a })
    const path = join(
      folder,
      '.git/nokosu',
      readdirSync(join(folder, '.git/nokosu')).find((name) => /json$/.test(name))!,
    )
    const journal = JSON.parse(readFileSync(path, 'utf8'))
    Object.assign(journal.files[0], { earlier: old, ours: next })
    writeFileSync(path, JSON.stringify(journal))
    if (written === 'new') writeFileSync(join(folder, MEMORY), next)
    await injectWorkspace(folder, content('b', ''), { holder: b })
    await restoreWorkspace(folder, { holder: b })
    expect(read(folder, MEMORY)).toBe(old)
    await restoreWorkspace(folder, { holder: a })
    expect(state(folder)).toEqual(before)
  }
})

const LOOP = `
import { createHolder, injectWorkspace, restoreWorkspace } from ${JSON.stringify(join(import.meta.dirname, '../../src/agents/workspace/workspace.ts'))}
const [folder, name] = process.argv.slice(1)
process.stdout.write('ready')
for (let i = 0; ; i++) {
  const holder = await createHolder(name)
  await injectWorkspace(folder, { instructions: 'Zebra ' + name + i, memory: i % 3 === 0 ? '' : '# Memory\\n\\n- Quokka ' + i + '\\n' }, { holder })
  await restoreWorkspace(folder, { holder })
}`

it('kill -9 at any moment while another one holds it: that one never misses its block, and all comes back', async () => {
  const folder = repository()
  const before = state(folder)
  const holder = await createHolder('stays')
  await injectWorkspace(folder, content('stays'), { holder })
  for (let round = 0; round < 8; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', LOOP, folder, 'l'], { stdio: 'pipe' })
    await new Promise((done) => child.stdout.once('data', done))
    for (const end = Date.now() + 60 + ((round * 37) % 180); Date.now() < end; ) {
      expect(read(folder)).toMatch(
        /^<!-- nokosu:begin -->\nZebra (stays|l\d+)\n(\n@.*\n)?<!-- nokosu:end -->\n# Shop\r\n\r\nown text$/,
      )
      await new Promise((done) => setTimeout(done, 3))
    }
    child.kill('SIGKILL')
    await new Promise((done) => child.once('close', done))
  }
  const locks = ['index.lock', 'config.lock'].map((name) => join(folder, '.git', name))
  for (let look = 0; look < 100 && locks.some((lock) => existsSync(lock)); look++) {
    await new Promise((done) => setTimeout(done, 20))
  }
  git(folder, 'add', '-A')
  expect(git(folder, 'diff', '--cached')).toBe('')
  await restoreWorkspace(folder, { holder })
  expect(state(folder)).toEqual(before)
}, 60_000)
