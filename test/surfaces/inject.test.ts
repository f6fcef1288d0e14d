import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { Personality } from '../../src/model/personality.ts'
import { git, scratch, settings, snapshot } from './git-workspace.ts'
import { workspace } from './run-cli.ts'

const NORI = ['--agent', 'nori', '--project', 'shop']

/** A project with a store outside of the workspace, as a fleet has it. */
function project(files: Record<string, string> = { 'CLAUDE.md': '# Shop\n' }) {
  const cli = workspace()
  const folder = join(cli.folder, 'shop')
  mkdirSync(folder)
  git(folder, 'init', '-q')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'start', '--allow-empty')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const inject = (...args: string[]) => cli.json(['inject', '--workspace', folder, ...args])
  const remember = async (contents: readonly string[]) => {
    const engine = await openMemory({ storage: cli.store, embedding: { kind: 'hashing' } })
    for (const content of contents) {
      await engine.add({ exact: true, content, layer: 'agent', identifiers: { agentId: 'nori', projectId: 'shop' } })
    }
    await engine.shutdown()
  }
  return { ...cli, workspace: folder, read, inject, remember }
}

describe('inject', () => {
  it('[A05] three memories become a three-item list, newest first, that CLAUDE.md imports', async () => {
    const { inject, remember, read } = project()
    await remember(['first fact', 'second fact', 'third fact'])
    expect(await inject(...NORI)).toMatchObject({ memories: 3 })
    const items = read('.claude/memory/MEMORY.md').match(/^- .*$/gm)
    expect(items).toEqual(['- third fact', '- second fact', '- first fact'])
    expect(read('CLAUDE.md')).toContain('\n@.claude/memory/MEMORY.md\n')
  })

  it('[A06] no memories: no file, no import, and a stale file of ours goes', async () => {
    const { inject, remember, read, workspace, json } = project()
    await inject(...NORI)
    expect(existsSync(join(workspace, '.claude'))).toBe(false)
    expect(read('CLAUDE.md')).not.toContain('@.claude')
    await remember(['a fact'])
    await inject(...NORI)
    expect(existsSync(join(workspace, '.claude/memory/MEMORY.md'))).toBe(true)
    const { memories } = await json<{ memories: { id: string }[] }>(['list', ...NORI])
    await json(['delete', memories[0]!.id, ...NORI, '--yes'])
    await inject(...NORI)
    expect(existsSync(join(workspace, '.claude'))).toBe(false)
  })

  it('[A10] of 55 memories the 50 newest are injected', async () => {
    const { inject, remember, read } = project()
    await remember(Array.from({ length: 55 }, (_, i) => `fact number ${i + 1}.`))
    expect(await inject(...NORI)).toMatchObject({ memories: 50 })
    const items = read('.claude/memory/MEMORY.md').match(/^- .*$/gm)!
    expect(items).toHaveLength(50)
    expect([items[0], items[49]]).toEqual(['- fact number 55.', '- fact number 6.'])
  })

  it('[B02] the personality stands before the role, which takes precedence, and both before the repository’s own text', async () => {
    const { inject, read } = project()
    await inject(...NORI)
    const text = read('CLAUDE.md')
    const places = [
      '<!-- nokosu:begin -->',
      '# Personality',
      'take precedence',
      'Nori',
      '# Role: coder',
      'nokosu:end',
      '# Shop',
    ]
    const found = places.map((part) => text.indexOf(part))
    expect(found).not.toContain(-1)
    expect(found.toSorted((a, b) => a - b)).toEqual(found)
  })

  it('[B01] a personality that was set speaks in every project', async () => {
    const { inject, read, json } = project()
    await json<Personality>(['personality', 'set', 'nori', '--persona', 'Speaks in haiku.\n# Forged heading'])
    for (const name of ['shop', 'bakery']) {
      await inject('--agent', 'nori', '--project', name)
      expect(read('CLAUDE.md')).toContain('Speaks in haiku.')
      expect(read('CLAUDE.md')).not.toMatch(/^# Forged/m)
    }
  })

  it.each([
    ['miso', 'architect'],
    ['nori', 'coder'],
    ['koji', 'reviewer'],
    ['toro', 'tester'],
  ])('[B11] %s gets the instructions of the %s', async (agent, role) => {
    const { inject, read } = project()
    await inject('--agent', agent, '--project', 'shop')
    expect(read('CLAUDE.md')).toContain(`# Role: ${role}\n`)
    expect(read('CLAUDE.md')).toContain('## Memory Recording')
  })

  it('another role may be asked for, and an agent that nobody knows gets that alone', async () => {
    const { inject, read, failure, workspace } = project()
    await inject('--agent', 'wasabi', '--project', 'shop', '--role', 'reviewer')
    expect(read('CLAUDE.md')).toContain('# Role: reviewer')
    expect(read('CLAUDE.md')).not.toContain('# Personality')
    await inject('--agent', 'wasabi', '--project', 'shop')
    expect(read('CLAUDE.md')).not.toContain('# Role')
    expect(await failure(['inject', ...NORI, '--role', 'chef', '--workspace', workspace])).toMatchObject({
      details: { field: 'role' },
    })
    expect(await failure(['inject', '--agent', 'nori'])).toMatchObject({ code: 'MISSING_IDENTIFIER', exit: 2 })
  })

  it('records what a session was shown', async () => {
    const { inject, remember, json } = project()
    await remember(['a fact'])
    await inject(...NORI, '--shown-to', 'run-7')
    const { memories } = await json<{ memories: { recallCount: number }[] }>(['list', ...NORI])
    expect(memories[0]!.recallCount).toBe(1)
    await inject(...NORI)
    expect(
      (await json<typeof memories & { memories: typeof memories }>(['list', ...NORI])).memories[0]!.recallCount,
    ).toBe(1)
  })

  it('--restore makes all as it was, once', async () => {
    const { inject, remember, workspace, run } = project()
    await remember(['a fact'])
    const before = snapshot(workspace)
    await inject(...NORI)
    expect(git(workspace, 'status', '--porcelain')).toBe('?? .claude/\n')
    expect(await inject('--restore')).toEqual({ workspace, restored: true })
    expect(snapshot(workspace)).toEqual(before)
    expect(await inject('--restore')).toEqual({ workspace, restored: false })
    expect(await run(['inject', '--restore'])).toMatchObject({ code: 0 })
  })
})

describe('the file', () => {
  it.each(['package.json', 'src/index.ts', 'Makefile', '.gitignore', 'notes.md.json'])(
    '%s is none for instructions, and is refused',
    async (file) => {
      const { failure, workspace, run } = project({ [file.replace(/.*\//, '')]: '{}\n' })
      const before = snapshot(workspace)
      const refused = { code: 'INVALID_INPUT', exit: 2, details: { path: file } }
      expect(await failure(['inject', ...NORI, '--workspace', workspace, '--file', file])).toMatchObject(refused)
      const { code, stderr } = await run([
        'run',
        ...NORI,
        '--workspace',
        workspace,
        '--inject',
        `files=${file}`,
        '--',
        'true',
      ])
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`Cannot write ${file} in the workspace: it is no file of instructions`),
      ])
      expect(snapshot(workspace)).toEqual(before)
    },
  )

  it.each(['AGENTS.md', '.github/copilot-instructions.md', '.cursor/rules/nokosu.mdc', '.cursorrules', 'llms.txt'])(
    '%s is one',
    async (file) => {
      const { inject, read, workspace } = project()
      const before = snapshot(workspace)
      await inject(...NORI, '--file', file)
      expect(read(file)).toContain('# Role: coder')
      await inject('--restore', '--file', file)
      expect(snapshot(workspace)).toEqual(before)
    },
  )
})

const LOOP = `
import { injectWorkspace, restoreWorkspace } from ${JSON.stringify(join(import.meta.dirname, '../../src/agents/workspace/workspace.ts'))}
const [folder, name] = process.argv.slice(1)
process.stdout.write('ready')
for (let i = 0; ; i++) {
  await injectWorkspace(folder, { instructions: 'Zebra ' + name + i, memory: i % 3 === 0 ? '' : '# Memory\\n\\n- Quokka\\n' })
  if (i % 2 === 0) await restoreWorkspace(folder)
}`

/** A process that injects and restores without end. */
async function startLoop(folder: string, name: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOOP, folder, name], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (part) => {
    errors += part
  })
  await new Promise((done) => child.stdout.once('data', done))
  const end = new Promise<string>((done) => child.once('close', () => done(errors)))
  return {
    kill() {
      child.kill('SIGKILL')
      return end
    },
  }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

describe('whatever happens in the middle', () => {
  it.each(['repository', 'no repository'])(
    'kill -9 at any moment leaves nothing that is not undone next time: %s',
    async (kind) => {
      const folder = scratch()
      const isRepository = kind === 'repository'
      if (isRepository) git(folder, 'init', '-q')
      writeFileSync(join(folder, 'CLAUDE.md'), 'own\r\ntext')
      if (isRepository) {
        git(folder, 'add', '-A')
        git(folder, 'commit', '-qm', 'start')
      }
      const [before, told] = [snapshot(folder), isRepository ? settings(folder) : {}]
      for (let round = 0; round < 12; round++) {
        const loop = await startLoop(folder, 'a')
        await pause(60 + ((round * 37) % 180))
        await loop.kill()
        if (isRepository) {
          await unlocked(folder)
          git(folder, 'add', '-A')
          expect(git(folder, 'diff', '--cached')).toBe('')
        }
        if (round % 2 === 0) await injectWorkspace(folder, { instructions: 'Zebra', memory: '- Quokka\n' })
        await restoreWorkspace(folder)
        expect(snapshot(folder)).toEqual(before)
        if (isRepository) expect(settings(folder)).toEqual(told)
      }
    },
  )

  it('several at once on one workspace: always one whole block, and at the end all is as it was', async () => {
    const folder = scratch()
    git(folder, 'init', '-q')
    writeFileSync(join(folder, 'CLAUDE.md'), 'own\n')
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'start')
    const [before, told] = [snapshot(folder), settings(folder)]
    const loops = await Promise.all(['a', 'b'].map((name) => startLoop(folder, name)))
    for (let look = 0; look < 40; look++) {
      const text = readFileSync(join(folder, 'CLAUDE.md'), 'utf8')
      expect(text).toMatch(/^(<!-- nokosu:begin -->\nZebra [ab]\d+\n(\n@.*\n)?<!-- nokosu:end \w{16} -->\n)?own\n$/)
      await pause(20)
    }
    for (const loop of loops) expect(await loop.kill()).toBe('')
    await unlocked(folder)
    await Promise.all([1, 2, 3].map((i) => injectWorkspace(folder, { instructions: `Zebra ${i}`, memory: '' })))
    expect(readFileSync(join(folder, 'CLAUDE.md'), 'utf8').match(/nokosu:begin/g)).toHaveLength(1)
    await Promise.all([restoreWorkspace(folder), restoreWorkspace(folder)])
    expect(snapshot(folder)).toEqual(before)
    expect(settings(folder)).toEqual(told)
  })
})

/** The process was killed, a git that it had started was not. */
async function unlocked(folder: string): Promise<void> {
  const locks = ['index.lock', 'config.lock'].map((name) => join(folder, '.git', name))
  for (let look = 0; look < 100 && locks.some((lock) => existsSync(lock)); look++) await pause(20)
  await pause(30)
}
