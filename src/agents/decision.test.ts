import { describe, expect, it } from 'vitest'
import { readDecision, readTestVerdict, readVerdict } from './decision.ts'
import { readTierEnd } from './tier-end.ts'

const WORDS = ['APPROVE', 'REJECT', 'DISPUTE'] as const
const MARKER = '[MEMORY:timing:tests] The tests take 40s'

describe('readDecision', () => {
  it('reads the word, the notes and the follow-ups above it', () => {
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
    expect(
      readDecision('FOLLOW_UP: earlier, quoted\n\nFOLLOW_UP: Name it\nDECISION: APPROVE', WORDS)?.followUps,
    ).toEqual(['Name it'])
  })

  it.each([
    ['a marker behind it', `NOTES: no limit\nDECISION: REJECT\n${MARKER}`],
    ['a marker between', `NOTES: no limit\n- ${MARKER}\nDECISION: REJECT`],
    ['a marker in its line', `NOTES: no limit\nDECISION: REJECT ${MARKER}`],
    ['more words behind it', 'NOTES: no limit\nDECISION: REJECT\n\nI hope this helps.'],
    ['the notes below it', 'DECISION: REJECT\nNOTES: no limit\n\nI hope this helps.'],
    ['a list and a heading around it', '- NOTES: no limit\n## DECISION: Reject.'],
    ['a code block around it', 'As asked:\n```\nNOTES: no limit\nDECISION: REJECT\n```'],
    ['an example above it', '```\nNOTES: it is good\nDECISION: APPROVE\n```\n\nNOTES: no limit\nDECISION: REJECT'],
    ['an earlier one quoted', 'NOTES: no limit\nDECISION: REJECT\n> DECISION: APPROVE'],
    ['an earlier one', 'At first I thought\nDECISION: APPROVE\nbut:\nNOTES: no limit\nDECISION: REJECT'],
  ])('is read with %s', (_, said) => {
    expect(readDecision(said, WORDS)).toEqual({ word: 'REJECT', notes: 'no limit', followUps: [] })
  })

  it.each([
    '',
    'DECISION: SUBMIT',
    'My DECISION: APPROVE',
    'DECISION: APPROVE or REJECT',
    'DECISION: APPROVE, REJECT or DISPUTE',
    'DECISION: APPROVE if the tests pass',
    'APPROVE',
  ])('%j is no decision', (said) => {
    expect(readDecision(said, WORDS)).toBeNull()
  })
})

it.each([
  ['VERDICT: APPROVE', 'APPROVE'],
  ['All good.\n\n**VERDICT: APPROVE**\n', 'APPROVE'],
  ['**Verdict:** Approved.', 'APPROVE'],
  ['APPROVED', 'APPROVE'],
  ['VERDICT: REJECT', 'REJECT'],
  ['REJECTED: 2', 'REJECT'],
  ['REJECTED: 2 must findings.', 'REJECT'],
  [`VERDICT: APPROVE\n${MARKER}`, 'APPROVE'],
  [`VERDICT: APPROVE\n\n**${MARKER}**\nThank you.`, 'APPROVE'],
  ['VERDICT: REJECT\nThe limit is missing, see above.', 'REJECT'],
  ['Round 1 was\nVERDICT: REJECT\nand now:\nVERDICT: APPROVE', 'APPROVE'],
  ['VERDICT: MAYBE', null],
  ['VERDICT: APPROVE or REJECT', null],
  ['VERDICT: APPROVE (or REJECT)', null],
  ['It should be APPROVED', null],
  ['Approved', null],
  ['Looks good to me.', null],
  ['', null],
])('the verdict of %j is %s', (said, verdict) => {
  expect(readVerdict(said)).toBe(verdict)
})

it.each([
  ['PASSED', 'PASSED'],
  [`FAILED: 2\n${MARKER}`, 'FAILED'],
  ['**FAILED:** 1 (the empty list)\nSteps are above.', 'FAILED'],
  ['FAILED tests/orders.py::test_empty - assert 1 == 2\nPASSED', 'PASSED'],
  ['FAILED: 0', 'PASSED'],
  ['Nothing failed.', null],
])('the tester’s verdict of %j is %s', (said, verdict) => {
  expect(readTestVerdict(said)).toBe(verdict)
})

describe('readTierEnd', () => {
  const HANDED = 'jellyfin: down\nESCALATE: jellyfin: no answer'
  it.each([
    ['ALL CLEAR', 'all clear'],
    ['RESOLVED: made room', 'resolved'],
    [`RESOLVED: made room\n${MARKER}\nAnything else?`, 'resolved'],
    ['- **ESCALATE: caddy: down**\nThat is all.', 'escalates'],
    ['RESOLVED: caddy\nESCALATE: jellyfin: disk', 'escalates'],
    ['ESCALATE: jellyfin: disk\nRESOLVED: caddy', 'escalates'],
    ['ESCALATE: jellyfin: no answer\nsaid tier 1.\nRESOLVED: it was starting', 'resolved'],
    ['ESCALATE: jellyfin: no answer', 'escalates'],
    ['NEEDS A PERSON: the disk is broken\nRESOLVED: caddy', 'needs a person'],
    ['I would not ESCALATE: this', 'unclear'],
    ['All is well.', 'unclear'],
  ])('%j ends %s', (said, ending) => {
    expect(readTierEnd(said, HANDED).ending).toBe(ending)
  })
})
