import { describe, expect, it } from 'vitest'
import type { Personality } from '../../model/personality.ts'
import type { Injection, WorkflowRecord } from '../../storage/storage.ts'
import { failure, sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

const NORI: Personality = {
  agentName: 'nori',
  displayName: 'Nori the Second',
  persona: 'Writes code.\nSleeps well.',
  traits: ['calm', 'exact'],
  communicationStyle: 'Short.',
  updatedAt: '2026-03-01T00:00:00.000Z',
}

export function describePersonalities(target: ConformanceTarget): void {
  describe('personalities', () => {
    const store = useStore(target)

    it('[B01] keeps one personality an agent, by its name alone', async () => {
      const storage = await store.storage()
      expect(await storage.listPersonalities()).toEqual([])
      expect(await storage.getPersonality('nori')).toBeNull()
      await storage.putPersonality({ ...NORI, displayName: 'First' })
      await storage.putPersonality(NORI)
      const bare = { ...NORI, agentName: 'Nori', traits: [], communicationStyle: '' }
      await storage.putPersonality(bare)
      expect(await storage.getPersonality('nori')).toEqual(NORI)
      expect(await storage.getPersonality('Nori')).toEqual(bare)
      expect(await storage.listPersonalities()).toEqual([bare, NORI])
      await storage.deletePersonality('nori')
      await storage.deletePersonality('nori')
      expect(await storage.listPersonalities()).toEqual([bare])
    })

    it('[B01] is seen through every handle, and belongs to no project', async () => {
      const engine = await store.engine({ now: () => new Date('2026-03-02T00:00:00Z') })
      const other = await store.engine()
      const { updatedAt, ...input } = NORI
      const stored = await engine.personality.set(input)
      expect(stored).toEqual({ ...NORI, updatedAt: '2026-03-02T00:00:00.000Z' })
      expect(await other.personality.get('nori')).toEqual(stored)
      expect(await other.personality.list()).toEqual([stored])
    })

    it('[B04] the profile is the stored one, else the default, else none; a default is never stored', async () => {
      const engine = await store.engine()
      expect(await engine.personality.get('nori')).toBeNull()
      expect(await engine.personality.profile('nori')).toMatchObject({ displayName: 'Nori', updatedAt: null })
      expect(await engine.personality.profile('wasabi')).toBeNull()
      expect(await engine.personality.list()).toEqual([])
      await engine.personality.set({ agentName: 'nori', displayName: 'Seaweed', persona: 'Green.' })
      expect(await engine.personality.profile('nori')).toMatchObject({ displayName: 'Seaweed', traits: [] })
      expect(await engine.personality.delete('nori')).toEqual({ success: true })
      expect(await engine.personality.profile('nori')).toMatchObject({ displayName: 'Nori' })
    })

    it('refuses what is not a personality, and changes nothing', async () => {
      const engine = await store.engine()
      const good = { agentName: 'nori', displayName: 'Nori', persona: 'Green.' }
      for (const bad of [
        { persona: '' },
        { displayName: 'a\nb' },
        { traits: ['x'.repeat(200)] },
        { agentName: '\0' },
      ]) {
        await failure(engine.personality.set({ ...good, ...bad }), 'INVALID_INPUT')
      }
      await failure(engine.personality.get(''), 'INVALID_INPUT')
      expect(await engine.personality.list()).toEqual([])
    })

    it('a secret is not kept', async () => {
      const engine = await store.engine()
      const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3nR6'}`
      const stored = await engine.personality.set({ agentName: 'nori', displayName: 'Nori', persona: `Uses ${token}` })
      expect(JSON.stringify(stored)).not.toContain(token)
    })
  })

  describe('what comes from elsewhere', () => {
    const store = useStore(target)
    const at = '2026-03-01T00:00:00.000Z'

    it('showings are taken once, in their order, and do not count as recalls', async () => {
      const engine = await store.engine()
      const storage = await store.storage()
      const { memory } = await engine.add(sample())
      const first: Injection = { session: 'run-1', memory: memory.id, position: 0, tokens: 7, format: 'file', at }
      const second = { ...first, memory: 'gone', position: 1 }
      expect(await storage.putInjections([first, second])).toBe(2)
      expect(await storage.putInjections([first, second, { ...first, at: '2026-03-02T00:00:00.000Z' }])).toBe(1)
      expect((await storage.listInjections('run-1')).slice(0, 2)).toEqual([first, second])
      expect((await engine.get(memory.id))!.recallCount).toBe(0)
    })

    it('events are taken once, and all are read in their order, a part at a time', async () => {
      const storage = await store.storage()
      const event = (number: number): WorkflowRecord => ({
        at,
        type: 'submission',
        session: number === 2 ? null : 'run-1',
        identifiers: { projectId: 'shop' },
        data: { number },
      })
      const all = [1, 2, 3, 4].map(event)
      await storage.addEvent(all[0]!)
      expect(await storage.putEvents(all)).toBe(3)
      expect(await storage.putEvents(all)).toBe(0)
      const part = await storage.listAllEvents(null, 3)
      expect(part.events).toEqual(all.slice(0, 3))
      const rest = await storage.listAllEvents(part.position, 3)
      expect(rest).toEqual({ events: all.slice(3), position: null })
      expect(await storage.listEvents(1)).toEqual([all[3]])
    })
  })
}
