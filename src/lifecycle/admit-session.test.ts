import { describe, expect, it } from 'vitest'
import { CONTEXT, know, observe, told, unrelated } from '../../test/fixtures/admission.ts'
import { admit } from './admit.ts'

describe('admit, within one session', () => {
  it('does not let a session reinforce what it said itself', () => {
    const known = know('Slow', { session: 'second-run' })
    const reason = 'the same words, said by the same session'
    expect(admit(observe('slow.'), [known], unrelated, CONTEXT)).toEqual({
      kind: 'duplicate',
      of: known.memory,
      reason,
    })
    const relater = told(['Not fast', 'Slow', 'same'])
    expect(admit(observe('Not fast'), [known], relater, CONTEXT)).toMatchObject({ kind: 'duplicate' })
    // Of two that say it, the one that was there first.
    const later = know('Slow', { id: 'z', session: 'second-run' })
    expect(admit(observe('Slow'), [later, known], unrelated, CONTEXT)).toMatchObject({ of: known.memory })
  })

  it('counts a session once for a memory', () => {
    const known = know('Slow', { counted: true })
    const reason = 'the same words, already counted for this session'
    expect(admit(observe('Slow'), [known], unrelated, CONTEXT)).toEqual({ kind: 'duplicate', of: known.memory, reason })
    expect(admit(observe('Slow'), [know('Slow')], unrelated, { ...CONTEXT, session: 'third-run' }).kind).toBe(
      'reinforce',
    )
  })

  it('does not let a session reinforce what it was shown by repeating the words', () => {
    const shown = know('Slow', { shown: true })
    expect(admit(observe('slow.'), [shown], unrelated, CONTEXT)).toMatchObject({ kind: 'duplicate', of: shown.memory })
    const relater = told(['Not fast', 'Slow', 'same'])
    expect(admit(observe('Not fast'), [shown], relater, CONTEXT).kind).toBe('reinforce')
  })

  it('changes nothing when the same session is captured again', () => {
    const said = observe('Fast')
    const relater = told(['Fast', 'Slow', 'contradicts'])
    const before = know('Slow')
    expect(admit(said, [before], relater, CONTEXT).kind).toBe('contradict')
    const stored = know('Fast', { session: 'second-run' })
    expect(admit(said, [before, stored], relater, CONTEXT).kind).toBe('duplicate')
  })

  it('does not restore a memory of the same session that became inactive since', () => {
    const own = know('Takes 60s', { active: false, confidence: 0.1, session: 'second-run' })
    const counted = know('Takes 60s', { active: false, confidence: 0.1, counted: true })
    const rival = know('Takes 10s')
    const relater = told(['Takes 60s', 'Takes 10s', 'contradicts'])
    for (const gone of [own, counted]) {
      expect(admit(observe('Takes 60s'), [gone, rival], relater, CONTEXT)).toMatchObject({
        kind: 'duplicate',
        of: gone.memory,
      })
    }
    const other = { ...CONTEXT, session: 'third-run' }
    expect(admit(observe('Takes 60s'), [own, rival], relater, other).kind).toBe('contradict')
  })

  it('treats observations without a session as independent', () => {
    const known = know('Slow', { session: null })
    expect(admit(observe('Slow'), [known], unrelated, { ...CONTEXT, session: null }).kind).toBe('reinforce')
  })
})
