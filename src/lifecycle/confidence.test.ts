import { describe, expect, it } from 'vitest'
import { reinforce, standingOf, weaken } from './confidence.ts'

describe('confidence', () => {
  it('adds exactly 0.1 and stops at 1.0', () => {
    const steps = Array.from({ length: 5 }).reduce<number[]>((seen) => [...seen, reinforce(seen.at(-1)!)], [0.7])
    expect(steps).toEqual([0.7, 0.8, 0.9, 1, 1, 1])
    expect(reinforce(0.15)).toBe(0.25)
  })

  it('takes exactly 0.2 and is inactive below 0.3', () => {
    expect(weaken(0.8)).toEqual({ confidence: 0.6, active: true })
    expect(weaken(0.5)).toEqual({ confidence: 0.3, active: true })
    expect(weaken(0.49)).toEqual({ confidence: 0.29, active: false })
    expect(weaken(0.4)).toEqual({ confidence: 0.2, active: false })
    expect(weaken(0.1)).toEqual({ confidence: 0, active: false })
  })

  it('falls no further than the line where it is to stay, and rises to none', () => {
    expect(weaken(0.9, { stays: true })).toEqual({ confidence: 0.7, active: true })
    expect(weaken(0.4, { stays: true })).toEqual({ confidence: 0.3, active: true })
    expect(weaken(0.3, { stays: true })).toEqual({ confidence: 0.3, active: true })
    expect(weaken(0.2, { stays: true })).toEqual({ confidence: 0.2, active: false })
  })

  it('has two decimals after any sequence of steps', () => {
    for (let hundredths = 0; hundredths <= 100; hundredths++) {
      expect(reinforce(hundredths / 100)).toBe(Math.min(100, hundredths + 10) / 100)
      expect(weaken(hundredths / 100).confidence).toBe(Math.max(0, hundredths - 20) / 100)
    }
  })

  it('[E19] clamps what an operator sets: 1.5 is 1.0', () => {
    expect(standingOf(1.5)).toEqual({ confidence: 1, active: true })
    expect(standingOf(-0.5)).toEqual({ confidence: 0, active: false })
  })

  it('[E40] brings an inactive memory back from 0.3 on', () => {
    expect(standingOf(0.3)).toEqual({ confidence: 0.3, active: true })
    expect(standingOf(0.29)).toEqual({ confidence: 0.29, active: false })
  })
})
