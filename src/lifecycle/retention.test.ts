import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../test/fixtures/make-memory.ts'
import { planRetention, type Retained } from './retention.ts'

const LIMITS = { projectRetention: 30, sectionRetention: 20, taskRetention: 12, maxKeep: 1200 }

/** Memory number `at`; higher numbers are newer. */
function make(at: number, fields: Partial<Retained> = {}): Retained {
  const createdAt = new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString()
  const id = `m${String(at).padStart(5, '0')}`
  const usual = {
    layer: 'task',
    scopeKey: 't1',
    project: 'shop',
    category: 'rejection',
    importance: 50,
    trust: 'agent',
  } as const
  return { id, ...usual, createdAt, ...fields }
}

function makeMany(count: number, fields: Partial<Retained>, from = 0): Retained[] {
  return Array.from({ length: count }, (_, index) => make(from + index, fields))
}

describe('planRetention', () => {
  it('[C08] keeps the newest 30 of a project, 20 of a section and 12 of a task', () => {
    const memories = [
      ...makeMany(33, { layer: 'project', scopeKey: 'p' }),
      ...makeMany(21, { layer: 'section', scopeKey: 's' }, 100),
      ...makeMany(14, { layer: 'task', scopeKey: 't' }, 200),
    ]
    const dropped = planRetention(memories, LIMITS)
    expect(dropped.toSorted()).toEqual(['m00000', 'm00001', 'm00002', 'm00100', 'm00200', 'm00201'])
  })

  it('[C08] counts each task on its own, and keeps all that are within the counts', () => {
    const memories = [...makeMany(12, { scopeKey: 'a' }), ...makeMany(12, { scopeKey: 'b' }, 50)]
    expect(planRetention(memories, LIMITS)).toEqual([])
    // Keys are only unique within a layer.
    const shared = [...makeMany(12, { scopeKey: '7' }), ...makeMany(20, { layer: 'section', scopeKey: '7' }, 50)]
    expect(planRetention(shared, LIMITS)).toEqual([])
  })

  it('does not let importance keep an old memory within a scope', () => {
    const memories = [make(0, { importance: 100 }), ...makeMany(12, { importance: 1 }, 1)]
    expect(planRetention(memories, LIMITS)).toEqual(['m00000'])
  })

  it('[C09] drops the least important over maxKeep, of equals the oldest', () => {
    const memories = [
      make(1, { scopeKey: 'a', importance: 80 }),
      make(2, { scopeKey: 'b', importance: 20 }),
      make(3, { scopeKey: 'c', importance: 50 }),
      make(4, { scopeKey: 'd', importance: 20 }),
      make(5, { scopeKey: 'e', importance: 20 }),
    ]
    expect(planRetention(memories, { ...LIMITS, maxKeep: 3 })).toEqual(['m00002', 'm00004'])
    expect(planRetention(memories, { ...LIMITS, maxKeep: 1 })).toEqual(['m00002', 'm00004', 'm00005', 'm00003'])
  })

  it('[C09] counts each project on its own: one never retires what another keeps', () => {
    const memories = [
      ...makeMany(4, { layer: 'project', scopeKey: 'a', project: 'a' }),
      ...makeMany(7, { layer: 'project', scopeKey: 'b', project: 'b' }, 100),
      ...makeMany(3, { scopeKey: 'c', project: null }, 200),
    ]
    expect(planRetention(memories, { ...LIMITS, maxKeep: 6 })).toEqual(['m00100'])
  })

  it('no number of agents’ memories retires an operator’s', () => {
    const own = make(0, { trust: 'operator', importance: 0 })
    expect(planRetention([own, ...makeMany(12, {}, 1)], LIMITS)).toEqual(['m00001'])
    expect(planRetention([own, ...makeMany(3, {}, 1)], { ...LIMITS, maxKeep: 1 })).toEqual([
      'm00001',
      'm00002',
      'm00003',
    ])
    expect(planRetention(makeMany(13, { trust: 'operator' }), LIMITS)).toEqual(['m00000'])
  })

  it('counts only what the scopes keep against maxKeep', () => {
    const memories = makeMany(40, { layer: 'project', scopeKey: 'p' })
    expect(planRetention(memories, { ...LIMITS, maxKeep: 30 })).toHaveLength(10)
  })

  it('leaves operational memories and learnings alone', () => {
    const memories = [...makeMany(100, { category: 'timing' }), ...makeMany(100, { category: 'learning' }, 200)]
    expect(planRetention(memories, { ...LIMITS, maxKeep: 0 })).toEqual([])
  })

  it('plans the same whatever the order, and nothing more once it is done', () => {
    const random = seededRandom(5)
    const memories = Array.from({ length: 3000 }, (_, index) => {
      const layer = (['task', 'section', 'project'] as const)[Math.floor(random() * 3)]!
      const scopeKey = String(Math.floor(random() * 40))
      return make(Math.floor(random() * 500), {
        id: `m${index}`,
        layer,
        scopeKey,
        importance: Math.floor(random() * 100),
      })
    })
    const dropped = planRetention(memories, { ...LIMITS, maxKeep: 600 })
    const shuffled = memories.map((memory) => ({ memory, at: random() })).sort((a, b) => a.at - b.at)
    const again = shuffled.map(({ memory }) => memory)
    expect(planRetention(again, { ...LIMITS, maxKeep: 600 })).toEqual(dropped)
    const left = memories.filter(({ id }) => !dropped.includes(id))
    expect(left).toHaveLength(600)
    expect(planRetention(left, { ...LIMITS, maxKeep: 600 })).toEqual([])
  })
})
