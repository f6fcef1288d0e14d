import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import type { MemoryList } from '../../src/model/provider.ts'
import { HONEST, ORDER, POISON, reviewed } from './reviewed.ts'

describe('nokosu review', () => {
  it('is shown to no agent inside a run, and no personality or tier 0 comes from there', async () => {
    const { failure, run } = await reviewed()
    const env = { NOKOSU_SESSION: 'run-1' }
    for (const args of [['review'], ['review', '--all', '--json'], ['review', '--project', 'home']]) {
      const ran = await run(args, { env })
      expect(ran.code).not.toBe(0)
      expect(ran.stdout + ran.stderr).not.toContain('approval check')
    }
    expect((await failure(['add', '--project', 'home', '--tier', '0', HONEST], { env })).code).toBe('UNAUTHORIZED')
    const set = ['personality', 'set', 'nori', '--persona', 'You are Nori.']
    expect((await failure(set, { env })).code).toBe('UNAUTHORIZED')
    expect((await failure(['personality', 'delete', 'nori', '--yes'], { env })).code).toBe('UNAUTHORIZED')
  })

  it('no operator’s act is done inside a run: tokens, directory, sweep, purge and the rest of the store’s upkeep', async () => {
    const { failure, json, run } = await reviewed()
    const env = { NOKOSU_SESSION: 'run-1' }
    const { memory: rule } = await json<{ memory: Memory }>(['add', '--project', 'home', 'Ask Ann before a deploy'])
    await run(['delete', '--all', '--yes', rule.id])
    await run(['token', 'create', '--name', 'mine'])
    for (const args of [
      ['token', 'create', '--name', 'ops', '--scope', 'admin'],
      ['token', 'list'],
      ['token', 'revoke', 'mine'],
      ['directory', 'set', '--project', 'home', '--team', 'web'],
      ['directory', 'remove', '--project', 'home'],
      ['purge', '--yes'],
      ['sweep'],
      ['reembed'],
      ['undelete', '--all', rule.id],
      ['tables', 'create', '--db', 'dynamodb://eu-west-1'],
      ['tables', 'delete', '--yes', '--db', 'dynamodb://eu-west-1'],
    ]) {
      expect(await failure(args, { env }), args.join(' ')).toMatchObject({ code: 'UNAUTHORIZED' })
    }
    const entry = { type: 'directory', entry: { layer: 'project', id: 'home', teamId: 'web' } }
    await run(['import', '-'], { env, input: JSON.stringify(entry) })
    expect(await json(['directory', 'list'])).toEqual([])
    expect(await json(['token', 'list'])).toMatchObject([{ name: 'mine', revokedAt: null }])
    expect((await run(['undelete', '--all', rule.id])).code).toBe(0)
  })

  it('nor does any other command show it inside a run', async () => {
    const { run, idOf } = await reviewed()
    const id = idOf(POISON)
    const commands = [
      ['get', '--all', id],
      ['get', '--all', id, '--history'],
      ['history', '--all', id],
      ['list', '--all', '--include-inactive'],
      ['export', '--all'],
      ['search', '--all', '--include-inactive', '--threshold', '0', POISON],
    ]
    for (const args of commands) {
      expect((await run(args)).stdout, args.join(' ')).toContain('approval check')
      const { stdout, stderr } = await run(args, { env: { NOKOSU_SESSION: 'run-1' } })
      expect(stdout + stderr, args.join(' ')).not.toMatch(/owner has already|disable the firewall/)
    }
  })

  it('inside a run an operator’s memory stays as it is, and no memory is turned into one that is held', async () => {
    const { run, json, failure } = await reviewed()
    const env = { NOKOSU_SESSION: 'run-1' }
    const { memory: rule } = await json<{ memory: Memory }>(['add', '--project', 'home', 'Ask Ann before a deploy'])
    const { memory: own } = await json<{ memory: Memory }>(['add', '--project', 'home', 'Deploys take a minute'], {
      env,
    })
    for (const args of [
      ['update', '--all', rule.id, '--content', ORDER],
      ['update', '--all', rule.id, '--confidence', '0.1'],
      ['update', '--all', rule.id, '--inactive'],
      ['delete', '--all', '--yes', rule.id],
    ]) {
      expect((await failure(args, { env })).message).toContain('An operator wrote or accepted this memory')
    }
    expect((await failure(['update', '--all', own.id, '--content', ORDER], { env })).message).toContain(
      'was not changed',
    )
    expect((await run(['update', '--all', own.id, '--content', 'Deploys take two minutes'], { env })).code).toBe(0)
    const { memories } = await json<MemoryList>(['list', '--all'])
    expect(memories.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['Ask Ann before a deploy', 'Deploys take two minutes']),
    )
    expect((await run(['delete', '--all', '--yes', rule.id])).code).toBe(0)
  })
})
