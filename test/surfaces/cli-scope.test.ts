import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { workspace } from './run-cli.ts'

/** Every command that needs identifiers, as first typed. */
const COMMANDS: readonly (readonly string[])[] = [
  ...[
    ['list'],
    ['search', 'slow'],
    ['get', 'abcdef'],
    ['history', 'abcdef'],
    ['update', 'abcdef', '--confidence', '1'],
  ],
  ...[['delete', 'abcdef'], ['undelete'], ['undelete', 'abcdef'], ['review'], ['context'], ['sessions'], ['export']],
  ...[['add', 'x'], ['add', '--agent', 'nori', 'x'], ['capture'], ['record'], ['inject', '--agent', 'nori']],
  ...[
    ['fetch-memory', '--agent', 'nori'],
    ['save-memory', '--agent', 'nori'],
    ['context', '--shown-to', 'run-1'],
  ],
  ...[
    ['run', '--', 'true'],
    ['pipeline', 'x'],
    ['tier', '1'],
  ],
]

describe('a missing scope', () => {
  it.each(COMMANDS.map((args) => [args.join(' '), args] as const))(
    'is told in the same words by %s, and creates nothing',
    async (_, args) => {
      const { run, folder } = workspace()
      const { code, stdout, stderr } = await run(args, { input: '{"type": "hint", "summary": "x"}' })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      const [said, , typed, ways] = stderr.split('\n')
      expect(said).toBe('nokosu: MISSING_IDENTIFIER No project is given.')
      expect(typed).toMatch(/^ {2}nokosu .*--project NAME/)
      expect(ways).toMatch(/^In a git repository, or with NOKOSU_PROJECT set, it is detected\./)
      expect(readdirSync(folder)).toEqual([])
    },
  )

  it('names the projects of the store, and what to type with one of them', async () => {
    const { run, json } = workspace()
    await json(['add', '--project', 'shop', 'Prices are in cents'])
    for (const [args, typed] of [
      [['search', 'slow start'], "nokosu search 'slow start' --project shop"],
      [['run', '--agent', 'nori', '--', 'true'], 'nokosu run --agent nori --project'],
    ] as const) {
      expect((await run(args)).stderr).toContain(`  ${typed}`)
    }
    expect((await run(['list'])).stderr).toContain('This store has shop.')
  })
})

describe('where the project around has no memories, and another one has', () => {
  const env = { NOKOSU_PROJECT: 'shop' }
  const commands = [['list'], ['search', 'cents'], ['context']]
  it.each(commands)('%s says where they are, and shows none', async (...args) => {
    const { run, json } = workspace()
    await json(['add', '--project', 'zebra', 'Prices are in cents'])
    await json(['add', '--agent', 'nori', '--layer', 'agent', '--project', 'zebra', 'Mail leaves at noon'])
    const { stdout, stderr } = await run(args, { env })
    expect(stdout).toBe('')
    expect(stderr).toContain('No memories of project shop here; the store has 2 of project zebra: --project zebra')
    expect(stderr).not.toContain('cents\n')
    expect((await run(args, { env: { ...env, NOKOSU_SESSION: 'run-1' } })).stderr).not.toContain('zebra')
    await json(['add', '--project', 'shop', 'The tests need Redis'])
    expect((await run(args, { env })).stderr).not.toContain('zebra')
  })
})

describe('without a store', () => {
  const SHOP = ['--project', 'shop']
  it.each([
    ...[['list'], ['search', 'x'], ['sessions'], ['review'], ['undelete'], ['context', '--explain'], ['export']],
    ...[
      ['get', 'abcdef'],
      ['history', 'abcdef'],
      ['delete', 'abcdef'],
      ['update', 'abcdef', '--confidence', '1'],
    ],
    ...[
      ['undelete', 'abcdef'],
      ['review', 'reject', 'abcdef'],
    ],
  ])('%s %s creates none', async (...args) => {
    const { run, folder } = workspace()
    await run([...args, ...SHOP])
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([['sweep'], ['purge', '--yes'], ['reembed'], ['doctor'], ['personality', 'list'], ['directory', 'list']])(
    '%s creates none either',
    async (...args) => {
      const { run, folder } = workspace()
      expect((await run(args)).code).toBe(0)
      expect(readdirSync(folder)).toEqual([])
    },
  )

  it('says so, and what makes one', async () => {
    const { run, json } = workspace()
    const told = /There is no store yet: .*memory\.db .*\n {2}nokosu add --project shop 'The tests need Redis'\n$/
    expect((await run(['list', ...SHOP])).stderr).toMatch(told)
    expect((await run(['get', 'abcdef', ...SHOP])).stderr).toMatch(told)
    const { memory } = await json<{ memory: Memory }>(['add', ...SHOP, 'The tests need Redis'])
    expect((await run(['list', ...SHOP])).stdout).toContain(memory.id)
  })
})
