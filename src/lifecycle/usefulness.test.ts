import { describe, expect, it } from 'vitest'
import { differenceOf, endedWell, judgeUsefulness, shareOf } from './usefulness.ts'

const session = (exitCode: number | null, outcome: string | null) => ({
  ...{ id: 's', agent: null, project: 'p', tier: null, role: null, startedAt: '', endedAt: '' },
  ...{ exitCode, outcome },
})

describe('how a run ended', () => {
  it.each([
    [0, 'success', true],
    [0, null, true],
    [null, 'success', true],
    [1, 'failure', false],
    [0, 'error_max_turns', false],
    [143, 'killed (SIGTERM)', false],
    [null, null, null],
  ])('exit %s, %s: %s', (exitCode, outcome, expected) => {
    expect(endedWell(session(exitCode, outcome), undefined)).toBe(expected)
  })

  it('a verdict on its work comes before its exit code', () => {
    expect(endedWell(session(0, 'success'), false)).toBe(false)
    expect(endedWell(session(1, 'failure'), true)).toBe(true)
  })
})

describe('the difference', () => {
  it('has the intervals of the books', () => {
    // Newcombe (1998), method 10: 56/70 against 48/80.
    const { value, low, high } = differenceOf({ good: 56, of: 70 }, { good: 48, of: 80 })
    expect([value, low, high].map((number) => number.toFixed(4))).toEqual(['0.2000', '0.0524', '0.3339'])
    const share = shareOf({ good: 81, of: 263 })
    expect([share.low, share.high].map((number) => number.toFixed(4))).toEqual(['0.2553', '0.3662'])
    expect(shareOf({ good: 0, of: 0 })).toEqual({ value: 0, low: 0, high: 1 })
  })

  it('is claimed from ten runs on either side, and where the whole interval is on one side', () => {
    expect(judgeUsefulness({ good: 9, of: 9 }, { good: 0, of: 90 })).toBe('too few runs')
    expect(judgeUsefulness({ good: 90, of: 90 }, { good: 0, of: 9 })).toBe('too few runs')
    expect(judgeUsefulness({ good: 10, of: 10 }, { good: 2, of: 10 })).toBe('helps')
    expect(judgeUsefulness({ good: 2, of: 12 }, { good: 30, of: 36 })).toBe('harms')
    expect(judgeUsefulness({ good: 7, of: 10 }, { good: 5, of: 10 })).toBe('unclear')
  })
})
