import { describe, expect, it } from 'vitest'
import type { Session } from '../../model/records.ts'
import { sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

function session(number: number, fields: Partial<Session> = {}): Session {
  return {
    id: `run-${number}`,
    agent: 'miso',
    project: 'shop',
    tier: 1,
    role: 'architect',
    startedAt: `2026-03-01T00:00:0${number}.000Z`,
    endedAt: null,
    exitCode: null,
    outcome: null,
    ...fields,
  }
}

export function describeSessions(target: ConformanceTarget): void {
  describe('sessions', () => {
    const store = useStore(target)

    it('keeps a session as it was given, and an end is written over the start', async () => {
      const storage = await store.storage()
      await storage.putSession(session(1))
      expect(await storage.getSession('run-1')).toEqual(session(1))
      const ended = session(1, { endedAt: '2026-03-01T01:00:00.000Z', exitCode: 0, outcome: 'success' })
      await storage.putSession(ended)
      expect(await storage.getSession('run-1')).toEqual(ended)
      const bare = session(2, { agent: null, project: null, tier: null, role: null, exitCode: -1 })
      await storage.putSession(bare)
      expect(await storage.getSession('run-2')).toEqual(bare)
      expect(await storage.getSession('run-3')).toBeNull()
      expect((await storage.listSessions({ limit: 10, before: null })).totalCount).toBe(2)
    })

    it('lists newest first, a page at a time', async () => {
      const engine = await store.engine()
      const storage = await store.storage()
      expect(await engine.sessions()).toEqual({ sessions: [], totalCount: 0 })
      for (let i = 1; i <= 5; i++) await storage.putSession(session(i))
      const ids = async (query: { limit?: number; before?: string }) =>
        (await engine.sessions(query)).sessions.map((found) => found.id)
      expect(await ids({})).toEqual(['run-5', 'run-4', 'run-3', 'run-2', 'run-1'])
      expect(await ids({ limit: 2 })).toEqual(['run-5', 'run-4'])
      expect(await ids({ limit: 2, before: 'run-4' })).toEqual(['run-3', 'run-2'])
      expect(await ids({ before: 'run-1' })).toEqual([])
      expect((await engine.sessions({ limit: 1 })).totalCount).toBe(5)
      expect((await engine.stats()).sessions).toBe(5)
    })

    it('a memory may name a session that nobody recorded: it is there from then on', async () => {
      const engine = await store.engine()
      const { memory } = await engine.add(sample({ session: 'run-9' }))
      expect(memory.session).toBe('run-9')
      expect((await engine.get(memory.id))?.session).toBe('run-9')
      const storage = await store.storage()
      expect(await storage.getSession('run-9')).toMatchObject({ id: 'run-9', agent: null, endedAt: null })
      const full = session(9)
      await storage.putSession(full)
      expect(await storage.getSession('run-9')).toEqual(full)
      expect((await engine.list({ session: 'run-9' })).totalCount).toBe(1)
    })

    it('session ids that look like numbers are texts', async () => {
      const engine = await store.engine()
      const storage = await store.storage()
      await storage.putSession(session(1))
      await engine.add(sample({ session: '1' }))
      await engine.add(sample({ content: 'other', session: '01' }))
      expect((await engine.list({ session: '1' })).totalCount).toBe(1)
      expect((await engine.list({ session: 'run-1' })).totalCount).toBe(0)
      expect(await storage.getSession('1')).toMatchObject({ id: '1', agent: null })
    })
  })
}
