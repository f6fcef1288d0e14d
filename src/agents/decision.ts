/** How an agent answered: the last line of its answer, with what it wrote for it above. */
export interface Decision<Word extends string> {
  word: Word
  notes: string
  followUps: string[]
}

/** Lines above the decision that are looked at for its notes. */
const MOST_LINES = 60

/**
 * Reads a decision strictly from the end: the last line has to be `DECISION: WORD` with one of the words, and `NOTES:` and
 * `FOLLOW_UP:` lines count only right above it. Anything else is no decision, and null. Emphasis around the line is allowed.
 */
export function readDecision<Word extends string>(said: string, words: readonly Word[]): Decision<Word> | null {
  const lines = said.trimEnd().split('\n')
  const last = plain(lines.pop() ?? '')
  const word = words.find((known) => last === `DECISION: ${known}`)
  if (word === undefined) return null
  const above = lines.slice(-MOST_LINES).map(plain)
  const start = above.findLastIndex((line) => line.startsWith('NOTES:'))
  const block = start < 0 ? above.slice(above.lastIndexOf('') + 1) : above.slice(start)
  const isFollowUp = (line: string) => line.startsWith('FOLLOW_UP:')
  const notes = start < 0 ? [] : block.filter((line) => !isFollowUp(line))
  return {
    word,
    notes: notes.join('\n').slice('NOTES:'.length).trim(),
    followUps: block
      .filter(isFollowUp)
      .map((line) => line.slice('FOLLOW_UP:'.length).trim().slice(0, 1000))
      .filter((title) => title !== ''),
  }
}

export type Verdict = 'APPROVE' | 'REJECT'

/** The verdict in the last line of a review: `VERDICT: ...`, or the word that the reviewer's role asks for. */
export function readVerdict(said: string): Verdict | null {
  const last = plain(said.trimEnd().split('\n').at(-1) ?? '')
  if (/^(?:VERDICT: APPROVE|APPROVED)\.?$/.test(last)) return 'APPROVE'
  return /^(?:VERDICT: REJECT|REJECTED)(?::? *\d+.*)?\.?$/.test(last) ? 'REJECT' : null
}

function plain(line: string): string {
  return line
    .trim()
    .replace(/^[*_`]+|[*_`]+$/g, '')
    .replace(/^(DECISION|VERDICT|NOTES|FOLLOW_UP):[*_`]*\s*/, '$1: ')
    .trim()
}
