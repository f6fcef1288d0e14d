import { expect } from 'vitest'
import type { Personality } from '../../../src/model/personality.ts'
import { group } from '../../../src/testing/conformance/group.ts'
import { failure } from '../../../src/testing/conformance/samples.ts'

const NORI: Personality = {
  agentName: 'nori',
  displayName: 'Nori the Second',
  persona: 'Writes code.\nSleeps well.',
  traits: ['calm', 'exact'],
  communicationStyle: 'Short.',
  updatedAt: '2026-03-02T00:00:00.000Z',
}

export const personalityCases = group('engine: personalities', (it) => {
  it('[B01] is seen through every handle, and belongs to no project', async (store) => {
    const engine = await store.engine({ now: () => new Date('2026-03-02T00:00:00Z') })
    const other = await store.engine()
    const { updatedAt, ...input } = NORI
    const stored = await engine.personality.set(input)
    expect(stored).toEqual({ ...NORI, updatedAt })
    expect(await other.personality.get('nori')).toEqual(stored)
    expect(await other.personality.list()).toEqual([stored])
  })

  it('[B04] the profile is the stored one, else the default, else none; a default is never stored', async (store) => {
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

  it('refuses what is not a personality, and changes nothing', async (store) => {
    const engine = await store.engine()
    const good = { agentName: 'nori', displayName: 'Nori', persona: 'Green.' }
    for (const bad of [{ persona: '' }, { displayName: 'a\nb' }, { traits: ['x'.repeat(200)] }, { agentName: '\0' }]) {
      await failure(engine.personality.set({ ...good, ...bad }), 'INVALID_INPUT')
    }
    await failure(engine.personality.get(''), 'INVALID_INPUT')
    expect(await engine.personality.list()).toEqual([])
  })

  it('a secret is not kept', async (store) => {
    const engine = await store.engine()
    const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3nR6'}`
    const stored = await engine.personality.set({ agentName: 'nori', displayName: 'Nori', persona: `Uses ${token}` })
    expect(JSON.stringify(stored)).not.toContain(token)
  })
})
