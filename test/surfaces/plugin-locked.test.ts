import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { shop } from './plugin-space.ts'

describe('a hook never fails where the store is locked', () => {
  const HURRIED = { NOKOSU_HOOK_TIMEOUT: '' }

  function lock(folder: string, ...statements: string[]): DatabaseSync {
    const database = new DatabaseSync(join(folder, '.nokosu/memory.db'))
    onTestFinished(() => {
      if (database.isOpen) database.close()
    })
    for (const statement of statements) database.exec(statement)
    return database
  }

  it('while another process writes, a session is shown its memory all the same', async () => {
    const { folder, add, start, sessions, list } = shop()
    await add('--category', 'timing', 'Takes 60s to start')
    const database = lock(folder, 'BEGIN IMMEDIATE')
    const { context, stderr } = await start()
    expect(context).toContain('Takes 60s to start')
    expect(stderr).toBe('')
    database.close()
    // The next write records what it was shown.
    await add('Anything')
    expect(await sessions()).toMatchObject([{ id: 's1', project: 'shop', endedAt: null }])
    expect(await list()).toMatchObject([{ recallCount: 0 }, { recallCount: 1 }])
  })

  it('a store that is locked to everybody costs the bound and no more, and what was said waits', async () => {
    const { folder, add, start, say, hook, contents } = shop()
    await add('--category', 'timing', 'Takes 60s to start')
    const database = lock(folder, 'PRAGMA locking_mode = EXCLUSIVE', 'BEGIN EXCLUSIVE')
    // Both finish while the lock is held.
    const { context, stderr } = await start({}, HURRIED)
    expect(context).toMatch(/^## Memory Recording/)
    expect(stderr).toMatch(/^nokosu: The session starts without memories: .*\n$/)
    say('[MEMORY:dependency:caddy] Needs DNS first')
    const ended = await hook('session-end', {}, { NOKOSU_HOOK_TIMEOUT: '4' })
    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain('Spooled for the next session: 1.')
    database.close()
    await start({ session_id: 's2' })
    expect(await contents()).toEqual(['Needs DNS first', 'Takes 60s to start'])
  })

  it('the end of a session does not wait for the store: what is left is kept by a process that outlives the hook', async () => {
    const { folder, add, say, hook, contents, sessions } = shop()
    await add('--category', 'timing', 'Takes 60s to start')
    const database = lock(folder, 'PRAGMA locking_mode = EXCLUSIVE', 'BEGIN EXCLUSIVE')
    say('[MEMORY:dependency:caddy] Needs DNS first')
    // Claude Code would cancel it after 1.5 s. It finished while the lock is held.
    expect(await hook('session-end', {}, HURRIED)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    database.close()
    await vi.waitUntil(async () => (await contents()).includes('Needs DNS first'), { timeout: 60_000 })
    await vi.waitUntil(async () => (await sessions())[0]?.endedAt, { timeout: 60_000 })
  })
})
