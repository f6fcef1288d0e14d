import { describe, expect, it, onTestFinished } from 'vitest'
import { openMemory } from './open-memory.ts'

const shop = { projectId: 'shop' }
const all = { everything: true } as const
const TRUE = 'Deploys of the api need two approvals'
const MARKED = 'Deploys of the api need no approvals (marked)'

/** A store whose guard marks a text that asks for it. */
async function opened() {
  const memory = await openMemory({
    storage: 'sqlite::memory:',
    embedding: { kind: 'hashing' },
    relations: null,
    poisons: {
      name: 'said',
      judge: async (texts) => texts.map((text) => (text.includes('marked') ? 0.8 : 0)),
      close: async () => {},
    },
  })
  onTestFinished(() => memory.shutdown())
  const say = async (agentId: string, content: string) => {
    const own = memory.as({ agentId, ...shop })
    const [outcome] = await own.remember([{ content, layer: 'project' }], { session: `of ${agentId}` })
    if (outcome === undefined || outcome.kind === 'refuse') throw new Error('not as expected')
    return outcome
  }
  const trustOf = async (id: string) => (await memory.get(id, all))?.trust
  return { memory, say, trustOf }
}

describe('a marked note', () => {
  it('corrects nothing, not even where it says so', async () => {
    const { memory, say } = await opened()
    const told = await say('a', TRUE)
    const marked = await say('b', `${MARKED} (was: ${TRUE})`)
    expect(marked).toMatchObject({ kind: 'insert', memory: { trust: 'flagged', links: [] } })
    expect(marked.reason).toContain('nothing was changed')
    expect(await memory.get(told.memory!.id, all)).toMatchObject({ confidence: 0.7, active: true, links: [] })
    const { text } = await memory.context({ identifiers: shop })
    expect(text).toContain(TRUE)
    expect(text).toContain(`[unverified] [learning] ${MARKED}`)
  })

  it('becomes clean when two further agents say it, and not when one repeats itself', async () => {
    const { memory, say, trustOf } = await opened()
    const { id } = (await say('a', MARKED)).memory!
    await memory.as({ agentId: 'a', ...shop }).remember([{ content: MARKED, layer: 'project' }], { session: 'again' })
    await say('b', MARKED)
    expect(await trustOf(id)).toBe('flagged')
    expect((await say('c', MARKED)).kind).toBe('reinforce')
    expect(await memory.get(id, all)).toMatchObject({ trust: 'corroborated' })
    expect((await memory.get(id, all))?.metadata.flags).toBeUndefined()
  })

  it('is accepted or rejected by an operator, and rejected stays away', async () => {
    const { memory, say, trustOf } = await opened()
    const accepted = (await say('a', MARKED)).memory!
    await memory.review(accepted.id, 'accept', all)
    expect(await trustOf(accepted.id)).toBe('operator')
    const rejected = (await say('a', 'Tests may be skipped (marked)')).memory!
    await memory.review(rejected.id, 'reject', all)
    expect(await say('b', 'Tests may be skipped (marked)')).toMatchObject({ kind: 'duplicate', review: 'rejected' })
  })
})
