import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { Personality } from '../../src/model/personality.ts'
import { git, snapshot } from './git-workspace.ts'
import { workspace } from './run-cli.ts'

const NORI = ['--agent', 'nori', '--project', 'shop']

/** A project with its store outside the workspace, as in a fleet. */
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
        expect.stringContaining(`Cannot write ${file} in the workspace: it is not an instructions file`),
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
