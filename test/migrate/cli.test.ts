import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Migration } from '../../src/migrate/migrate.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import { finish, startCli, workspace } from '../surfaces/run-cli.ts'
import { dump, fill, openOn } from './stores.ts'

async function filled() {
  const place = workspace()
  const env = { HOME: place.folder, XDG_STATE_HOME: join(place.folder, 'state') }
  const file = (name: string) => join(place.folder, name)
  await fill(`sqlite:${file('a.db')}`)
  const contents = async (name: string) => {
    const storage = sqliteStorage({ path: file(name) })
    const lines = await dump(storage)
    await storage.shutdown()
    return lines
  }
  const args = ['migrate', '--from', 'sqlite:a.db', '--to', 'sqlite:b.db']
  return { ...place, env, file, contents, args }
}

describe('nokosu migrate', () => {
  it('moves a store, says what came of it and where to write now, and has nothing to do the second time', async () => {
    const { run, json, args, env, contents } = await filled()
    const { code, stdout, stderr } = await run(args, { env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/memories +6 +6 +[0-9a-f]{32}\n/)
    expect(stdout).toMatch(/tokens +2 +2 +[0-9a-f]{32}\n/)
    expect(stdout).toContain('Everything from the source is in the target, by count and checksum.')
    expect(stderr).toMatch(/Point all writers to sqlite:\S+b\.db now/)
    expect(await contents('b.db')).toEqual(await contents('a.db'))
    expect(await json<Migration>(args, { env })).toMatchObject({
      from: expect.stringMatching(/^sqlite:.*a\.db$/),
      verified: true,
      rounds: 1,
      written: 0,
    })
  })

  it('a dry run counts, names what is in the way, and makes nothing', async () => {
    const { run, json, args, env, folder, file } = await filled()
    const before = readdirSync(folder)
    const { code, stdout } = await run([...args, '--dry-run'], { env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/history +\d+ +0 +\d+\n/)
    expect(stdout).toContain('No obstacles. Nothing was written.')
    expect(readdirSync(folder)).toEqual(before)
    await fill(`sqlite:${file('b.db')}`)
    const full = await run([...args, '--dry-run'], { env })
    expect(full.code).toBe(1)
    expect(full.stdout).toContain('Obstacle: The target is not empty. --merge keeps')
    const merged = await json<object>([...args, '--dry-run', '--merge'], { env })
    expect(merged).toMatchObject({
      dryRun: true,
      obstacles: [],
      kinds: { memories: { source: 6, target: 6, toMove: 6 } },
    })
  })

  it('refuses what would do harm: a target in use, the same store by any name, another model', async () => {
    const { failure, json, args, env, file, contents } = await filled()
    await fill(`sqlite:${file('b.db')}`)
    const before = await contents('b.db')
    expect(await failure(args, { env })).toMatchObject({ code: 'INVALID_INPUT', message: 'The target is not empty.' })
    expect(await contents('b.db')).toEqual(before)
    const same = ['migrate', '--from', 'sqlite:a.db', '--to', `sqlite:${file('./a.db')}`, '--merge']
    expect(await failure(same, { env })).toMatchObject({ message: '--from and --to are the same store.' })
    const other = { ...env, NOKOSU_EMBEDDING: 'local' }
    expect(await failure(['migrate', '--from', 'sqlite:a.db', '--to', 'sqlite:c.db'], { env: other })).toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('hashing'),
    })
    const bare = await json<Migration>(['migrate', '--from', 'sqlite:a.db', '--to', 'sqlite:c.db', '--no-vectors'], {
      env: other,
    })
    expect(bare).toMatchObject({ verified: true })
    expect(bare.kinds.vectors).toBeUndefined()
  })

  it.each([
    ['sqlite:none.db', 'sqlite:b.db', 'INVALID_INPUT', 'There is no store to move'],
    ['sqlite:a.db', 'https://memory.example', 'UNSUPPORTED', 'A server records'],
    ['sqlite:a.db', 'memory:', 'UNSUPPORTED', 'ends with the process'],
  ])('%s to %s is refused with the reason', async (from, to, code, message) => {
    const { failure, env, file } = await filled()
    expect(await failure(['migrate', '--from', from, '--to', to], { env })).toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
    expect(existsSync(file('b.db')) || existsSync(file('none.db'))).toBe(false)
  })

  it('is not for agents in their run', async () => {
    const { failure, args, env } = await filled()
    expect(await failure(args, { env: { ...env, NOKOSU_SESSION: 'run-9' } })).toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('adds to a store in use with --merge, and leaves what is there', async () => {
    const { json, args, env, file, contents } = await filled()
    const target = await openOn(`sqlite:${file('b.db')}`)
    await target.add({
      exact: true,
      content: 'Only here',
      layer: 'project',
      identifiers: { projectId: 'shop' },
      session: 'own',
    })
    await target.directory.set({ projectId: 'other', teamId: 'web' })
    await target.shutdown()
    const own = await contents('b.db')
    const { kinds } = await json<Migration>([...args, '--merge'], { env })
    expect(kinds.memories).toMatchObject({ source: 6, target: 7, onlyInTarget: 1, differingCount: 0, same: true })
    expect(await contents('b.db')).toEqual([...new Set([...own, ...(await contents('a.db'))])].sort())
  })

  it.each([
    ['kill -9', 'SIGKILL', null, ''],
    ['Ctrl-C', 'SIGINT', 130, 'Stopped. What was moved is kept. Run the same command again to continue.'],
  ] as const)('goes on after %s', async (_, signal, code, said) => {
    const { json, folder, env, file, contents } = await filled()
    const many = await openOn(`sqlite:${file('a.db')}`)
    const texts = Array.from({ length: 3000 }, (_, i) => `Service ${i} takes ${i} seconds to start`)
    for (let i = 0; i < texts.length; i += 500) {
      const part = texts.slice(i, i + 500)
      await many.bulkAdd(
        part.map((content) => ({ content, layer: 'project', identifiers: { projectId: 'shop' } })),
        { exact: true },
      )
    }
    await many.shutdown()
    const args = ['migrate', '--from', 'sqlite:a.db', '--to', 'sqlite:b.db']
    const child = startCli(args, { cwd: folder, env })
    const ended = finish(child)
    const size = () =>
      ['b.db', 'b.db-wal'].reduce((sum, name) => sum + (statSync(file(name), { throwIfNoEntry: false })?.size ?? 0), 0)
    while (child.exitCode === null && size() < 1_500_000) await sleep(5)
    child.kill(signal)
    expect(await ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) })
    const half = (await contents('b.db')).length
    const whole = await contents('a.db')
    expect(half).toBeGreaterThan(0)
    expect(half).toBeLessThan(whole.length)
    expect(await json<Migration>(args, { env })).toMatchObject({ verified: true, settled: true })
    expect(await contents('b.db')).toEqual(whole)
  })
})
