import { expect, it } from 'vitest'
import { readDecision, readVerdict } from './decision.ts'

const WORDS = ['APPROVE', 'REJECT', 'DISPUTE'] as const

it('reads the last line, the notes and the follow-ups right above it', () => {
  const said = `I looked at everything.

NOTES: The retry has no limit;
a test would show it.
FOLLOW_UP: Name the timeouts
FOLLOW_UP:
DECISION: REJECT
`
  expect(readDecision(said, WORDS)).toEqual({
    word: 'REJECT',
    notes: 'The retry has no limit;\na test would show it.',
    followUps: ['Name the timeouts'],
  })
})

it('works without notes, takes the last notes of several, and reads through emphasis', () => {
  expect(readDecision('All of it is there.\n\nDECISION: APPROVE', WORDS)).toEqual({
    word: 'APPROVE',
    notes: '',
    followUps: [],
  })
  const said = 'NOTES: for the first file\n\nMore reading.\n\n**NOTES:** for the whole\n\n**DECISION:** DISPUTE'
  expect(readDecision(said, WORDS)).toMatchObject({ word: 'DISPUTE', notes: 'for the whole' })
  expect(readDecision('FOLLOW_UP: earlier, quoted\n\nFOLLOW_UP: Name it\nDECISION: APPROVE', WORDS)?.followUps).toEqual(
    ['Name it'],
  )
})

it.each([
  '',
  'DECISION: APPROVE\nThank you.',
  'DECISION: SUBMIT',
  'DECISION: approve',
  'My DECISION: APPROVE',
  'DECISION: APPROVE or REJECT',
  'APPROVE',
])('%j is no decision', (said) => {
  expect(readDecision(said, WORDS)).toBeNull()
})

it.each([
  ['VERDICT: APPROVE', 'APPROVE'],
  ['All good.\n\n**VERDICT: APPROVE**\n', 'APPROVE'],
  ['APPROVED', 'APPROVE'],
  ['VERDICT: REJECT', 'REJECT'],
  ['REJECTED: 2', 'REJECT'],
  ['REJECTED: 2 must findings.', 'REJECT'],
  ['VERDICT: MAYBE', null],
  ['It should be APPROVED', null],
  ['VERDICT: APPROVE\nOr maybe not.', null],
  ['Looks good to me.', null],
  ['', null],
])('the verdict of %j is %s', (said, verdict) => {
  expect(readVerdict(said)).toBe(verdict)
})
