import { describe, expect, it } from 'vitest'
import { readDecision, readTestVerdict, readVerdict } from './decision.ts'
import { readTierEnd } from './tier-end.ts'

const WORDS = ['APPROVE', 'REJECT', 'DISPUTE'] as const
const MARKER = '[MEMORY:timing:tests] The tests take 40s'

describe('readDecision', () => {
  it('takes the words behind the decision for notes where there are none', () => {
    const said = 'DECISION: APPROVE\nDECISION: REJECT because of the leak'
    expect(readDecision(said, ['APPROVE', 'REJECT'])).toMatchObject({ word: 'REJECT', notes: 'because of the leak' })
    const noted = 'NOTES: It leaks\nDECISION: REJECT for now'
    expect(readDecision(noted, ['APPROVE', 'REJECT'])).toMatchObject({ word: 'REJECT', notes: 'It leaks' })
  })

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
    ['words directly behind it', 'DECISION: APPROVE\nNOTES: no limit\nDECISION: REJECT because of the leak'],
    ['lower case', 'NOTES: no limit\ndecision: reject unless the limit is set'],
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
    'DECISION: approve or reject',
    'DECISION: APPROVE, once the leak is closed',
    'DECISION: APPROVE is not possible',
    'DECISION: APPROVE\nDECISION: I cannot say',
    'DECISION: APPROVE\n\nREJECT: I overlooked the leak',
    'DECISION: APPROVE\n```\nDECISION: REJECT\n```',
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
  ['VERDICT: APPROVE\nNo wait.\nVERDICT: REJECT because the handle leaks', 'REJECT'],
  ['VERDICT: APPROVE\nREJECT unless the limit is set', 'REJECT'],
  ['VERDICT: APPROVE\nVERDICT: not yet', null],
  ['VERDICT: APPROVE with two remarks', 'APPROVE'],
  ['VERDICT: APPROVE\nRejected requests are logged now.', 'APPROVE'],
  ['Approved', 'APPROVE'],
  ['approved requests are logged', null],
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
  ['PASSED\nthen on CI\nFAILED two tests on Windows', 'FAILED'],
  ['passed', 'PASSED'],
  ['failed: 2', 'FAILED'],
  ['PASSED: 12, failed: 2', 'FAILED'],
  ['PASSED: 12, FAILED: 0', 'PASSED'],
  ['PASSED, 2 failed', 'FAILED'],
  ['PASSED\nThe one that\nfailed twice is fast now.', 'PASSED'],
  ['PASSED on Linux', null],
  ['PASSED if the network is there', null],
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
    ['all clear', 'all clear'],
    ['resolved: made room', 'resolved'],
    ['ALL CLEAR\nescalate: jellyfin: disk', 'escalates'],
    ['ALL CLEAR\nESCALATE jellyfin, its disk is full', 'escalates'],
    ['RESOLVED: caddy\nNEEDS A PERSON to change the disk', 'needs a person'],
    ['Escalate only what is new.\nALL CLEAR', 'all clear'],
    ['I would not ESCALATE: this', 'unclear'],
    ['All is well.', 'unclear'],
  ])('%j ends %s', (said, ending) => {
    expect(readTierEnd(said, HANDED).ending).toBe(ending)
  })
})
