import { describe, expect, it } from 'vitest'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import { WORKFLOW_CATEGORIES } from '../model/categories.ts'
import { isVisible, type Memory } from '../model/memory.ts'
import { ALWAYS, decayed, NEVER, staleSince, visibleUntil } from './decay.ts'

const UPDATED = Date.parse('2026-01-01T00:00:00.000Z')
const DAY = 24 * 60 * 60 * 1000
const daysLater = (days: number) => new Date(UPDATED + days * DAY)
const memory = makeMemory({ confidence: 0.9 })
/** The category with the fastest decay. */
const LESSON = { confidence: 0.5, source: 'observed' } as const

/** The changed fields, or null. */
function decayMemory(known: Memory, decayedWeeks: number, now: Date) {
  const before = { ...known, decayedWeeks }
  const after = decayed(before, now)
  if (after === before) return null
  expect(after.updatedAt).toBe(before.updatedAt)
  return { confidence: after.confidence, active: after.active, decayedWeeks: after.decayedWeeks }
}

describe('decayed', () => {
  it('[E24] leaves a memory of 15 days alone', () => {
    expect(decayMemory(memory, 0, daysLater(15))).toBeNull()
  })

  it('[E25] takes 0.2 after 44 days, once, however many sessions start', () => {
    const decayed = decayMemory(memory, 0, daysLater(44))
    expect(decayed).toEqual({ confidence: 0.7, active: true, decayedWeeks: 2 })
    const stored = { ...memory, confidence: 0.7 }
    for (const days of [44, 44.5, 50.99]) expect(decayMemory(stored, 2, daysLater(days))).toBeNull()
    expect(decayMemory(stored, 2, daysLater(51))).toEqual({ confidence: 0.6, active: true, decayedWeeks: 3 })
  })

  it('[E26] makes a memory inactive that falls below 0.3, and then leaves it alone', () => {
    const weak = { ...memory, confidence: 0.4 }
    expect(decayMemory(weak, 0, daysLater(44))).toEqual({ confidence: 0.2, active: false, decayedWeeks: 2 })
    expect(decayMemory({ ...weak, confidence: 0.2, active: false }, 2, daysLater(90))).toBeNull()
  })

  it('keeps a memory active that falls to exactly 0.3', () => {
    expect(decayMemory({ ...memory, confidence: 0.5 }, 0, daysLater(44))).toMatchObject({
      confidence: 0.3,
      active: true,
    })
  })

  it('takes the first week only when it is whole', () => {
    expect(decayMemory(memory, 0, new Date(daysLater(37).getTime() - 1))).toBeNull()
    expect(decayMemory(memory, 0, daysLater(37))).toEqual({ confidence: 0.8, active: true, decayedWeeks: 1 })
  })

  it('gives the same in daily steps as in one late step', () => {
    let [confidence, weeks] = [1, 0]
    for (let day = 0; day <= 70; day++) {
      const step = decayMemory({ ...memory, confidence }, weeks, daysLater(day))
      if (step !== null) [confidence, weeks] = [step.confidence, step.decayedWeeks]
    }
    expect({ confidence, weeks }).toEqual({ confidence: 0.5, weeks: 5 })
    expect(decayMemory({ ...memory, confidence: 1 }, 0, daysLater(70))?.confidence).toBe(0.5)
  })

  it('takes from an unconfirmed lesson after a week, and from a confirmed one as from others', () => {
    const lesson = { ...memory, ...LESSON }
    expect(decayed(lesson, daysLater(13)).confidence).toBe(0.5)
    expect(decayed(lesson, daysLater(14)).confidence).toBe(0.4)
    expect(decayed(decayed(lesson, daysLater(14)), daysLater(28))).toMatchObject({ confidence: 0.2, active: false })
    expect(visibleUntil(lesson)).toBe(daysLater(28).toISOString())
    expect(decayed({ ...lesson, confidence: 0.6 }, daysLater(36)).confidence).toBe(0.6)
    expect(staleSince(daysLater(14)) >= lesson.updatedAt).toBe(true)
  })

  it('begins again after a reinforcement', () => {
    const reinforced = { ...memory, updatedAt: daysLater(44).toISOString() }
    expect(decayMemory(reinforced, 0, daysLater(44 + 36))).toBeNull()
    expect(decayMemory(reinforced, 0, daysLater(44 + 37))).toMatchObject({ decayedWeeks: 1 })
  })

  it('takes nothing when the clock was ahead, and never less than nothing', () => {
    expect(decayMemory(memory, 0, daysLater(-400))).toBeNull()
    expect(decayMemory(memory, 0, daysLater(4000))).toEqual({ confidence: 0.2, active: false, decayedWeeks: 7 })
  })

  it('reaches no workflow memory', () => {
    for (const category of WORKFLOW_CATEGORIES) {
      expect(decayMemory({ ...memory, category }, 0, daysLater(400))).toBeNull()
    }
  })
})

it('gives the same whenever it is written down', () => {
  for (const confidence of [0.3, 0.35, 0.7, 1]) {
    let swept: Memory = { ...memory, confidence }
    for (let day = 0; day <= 150; day++) {
      swept = decayed(swept, daysLater(day))
      expect(decayed({ ...memory, confidence }, daysLater(day)), `${confidence} ${day}`).toEqual(swept)
    }
  }
})

describe('visibleUntil', () => {
  it('is the very instant at which age or expiry takes the memory off every read path', () => {
    for (const confidence of [0.3, 0.35, 0.4, 0.7, 0.75, 1]) {
      for (const decayedWeeks of [0, 1, 3]) {
        const known = { ...memory, confidence, decayedWeeks }
        const until = new Date(visibleUntil(known))
        const before = new Date(until.getTime() - 1)
        expect(isVisible(decayed(known, before), before), `${confidence} ${decayedWeeks}`).toBe(true)
        expect(isVisible(decayed(known, until), until), `${confidence} ${decayedWeeks}`).toBe(false)
      }
    }
  })

  it('is the expiry where that comes first', () => {
    const expiresAt = daysLater(3).toISOString()
    expect(visibleUntil({ ...memory, expiresAt })).toBe(expiresAt)
    expect(visibleUntil({ ...memory, expiresAt: daysLater(4000).toISOString() })).toBe(visibleUntil(memory))
  })

  it('never comes for what is inactive or in quarantine, and always for a workflow memory', () => {
    expect(visibleUntil({ ...memory, active: false })).toBe(NEVER)
    expect(visibleUntil({ ...memory, trust: 'quarantined' })).toBe(NEVER)
    expect(visibleUntil({ ...memory, category: 'decision' })).toBe(ALWAYS)
  })
})

it('may decay from the very instant that staleSince tells', () => {
  const now = daysLater(0)
  const at = Date.parse(staleSince(now))
  const written = (time: number) => ({ ...memory, ...LESSON, updatedAt: new Date(time).toISOString() })
  expect(decayMemory(written(at), 0, now)).toMatchObject({ decayedWeeks: 1 })
  expect(decayMemory(written(at + 1), 0, now)).toBeNull()
})

it('ends no later than the last time that can be told', () => {
  expect(visibleUntil({ ...memory, updatedAt: '9999-12-01T00:00:00.000Z' })).toBe(ALWAYS)
})

it('a pinned memory does not fade, and is visible until it expires', () => {
  const pinned = makeMemory({ pinned: true, createdAt: '2020-01-01T00:00:00.000Z' })
  expect(decayed(pinned, new Date('2026-01-01T00:00:00.000Z'))).toBe(pinned)
  expect(visibleUntil(pinned)).toBe('9999-12-31T23:59:59.999Z')
  expect(visibleUntil({ ...pinned, expiresAt: '2021-01-01T00:00:00.000Z' })).toBe('2021-01-01T00:00:00.000Z')
})

describe('what does not fade', () => {
  it('is a learning, a workflow memory, what is pinned, and an operator’s word, unless the setting says so', () => {
    const old = daysLater(365)
    const learning = makeMemory({ confidence: 0.9, category: 'learning' })
    for (const each of [learning, { ...memory, pinned: true }, { ...memory, trust: 'operator' as const }]) {
      expect(decayed(each, old)).toBe(each)
      expect(visibleUntil(each)).toBe(ALWAYS)
    }
    expect(decayed(memory, old, { [memory.category]: false })).toMatchObject({ confidence: memory.confidence })
    expect(decayed(learning, daysLater(104), { learning: 90 })).toMatchObject({ confidence: 0.7, decayedWeeks: 2 })
    expect(visibleUntil(learning, { learning: 90 }) < ALWAYS).toBe(true)
    expect(staleSince(daysLater(100), { timing: 3 })).toBe(daysLater(90).toISOString())
  })
})
