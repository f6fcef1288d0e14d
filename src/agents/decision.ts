import { answerLines, findLast } from './answer-lines.ts'

export interface Decision<Word extends string> {
  word: Word
  notes: string
  followUps: string[]
}

/** How many lines around the decision are searched for its notes. */
const MOST_LINES = 60

/**
 * Reads the last `DECISION: WORD` of an answer, with the `NOTES:` above or below it and the `FOLLOW_UP:` lines
 * around it. Null if the answer has none of the words, if the last such line names several or none, or if another
 * of the words further down takes it back.
 */
export function readDecision<Word extends string>(said: string, words: readonly Word[]): Decision<Word> | null {
  const lines = answerLines(said)
  const found = findLast(lines, (text) => {
    const word = /^DECISION: ?(.*)$/i.exec(text)?.[1]
    return word === undefined ? undefined : oneOf(word, words)
  })
  if (found === null) return null
  const isTakenBack = lines.slice(found.at + 1).some(({ text, code }) => !code && isOther(text, found.meaning, words))
  if (isTakenBack) return null
  const texts = lines.map(({ text }) => text)
  const above = texts.slice(Math.max(0, found.at - MOST_LINES), found.at)
  const below = texts.slice(found.at + 1, found.at + 1 + MOST_LINES)
  // `DECISION: REJECT because of the leak` gives its reason on the same line.
  const behind = texts[found.at]!.replace(/^DECISION: ?[A-Za-z_]+[\s.,:;–—-]*/i, '')
  const notes = notesOf(above.slice(lastNotes(above))) ?? notesOf(paragraphOf(below)) ?? behind
  const beside =
    lastNotes(above) < above.length ? above.slice(lastNotes(above)) : above.slice(above.lastIndexOf('') + 1)
  const followUps = [...beside, ...below].flatMap((text) => /^FOLLOW_UP: ?(.*)$/i.exec(text)?.[1] ?? [])
  return {
    word: found.meaning,
    notes,
    followUps: followUps.map((title) => title.trim().slice(0, 1000)).filter((title) => title !== ''),
  }
}

const isNotes = (text: string) => /^NOTES:/i.test(text)

function lastNotes(lines: readonly string[]): number {
  const at = lines.findLastIndex(isNotes)
  return at < 0 ? lines.length : at
}

/** From the notes to the next empty line. */
function paragraphOf(lines: readonly string[]): string[] {
  const start = lines.findIndex(isNotes)
  const rest = start < 0 ? [] : lines.slice(start)
  const end = rest.indexOf('')
  return end < 0 ? rest : rest.slice(0, end)
}

function notesOf(lines: readonly string[]): string | null {
  if (lines.length === 0) return null
  const text = lines.filter((line) => !/^FOLLOW_UP:/i.test(line)).join('\n')
  return text.replace(/^NOTES:/i, '').trim()
}

export type Verdict = 'APPROVE' | 'REJECT'

/** The last verdict of a review: `VERDICT: ...`, or the word that the reviewer's role asks for. */
export function readVerdict(said: string): Verdict | null {
  const found = findLast<Verdict>(answerLines(said), (text) => {
    const named = /^VERDICT: ?(.*)$/i.exec(text)?.[1]
    const word = named === undefined ? bare(text, REVIEWED, 'REJECT') : oneOf(named, REVIEWED)
    return word && (word.startsWith('APPROVE') ? 'APPROVE' : 'REJECT')
  })
  return found?.meaning ?? null
}

const REVIEWED = ['APPROVE', 'APPROVED', 'REJECT', 'REJECTED'] as const

export type TestVerdict = 'PASSED' | 'FAILED'

const TESTED = ['PASSED', 'FAILED'] as const

/** The same for a tester. "No failures" means everything passed; "one failure" means the opposite. */
export function readTestVerdict(said: string): TestVerdict | null {
  const found = findLast<TestVerdict>(answerLines(said), (text) => {
    const named = /^VERDICT: ?(.*)$/i.exec(text)?.[1]
    const line = named ?? text
    const counted = /^(?:PASSED|FAILED)\b/i.test(line) ? FAILURES.exec(line)?.[1] : undefined
    if (counted !== undefined) return /^(?:0+|none)$/i.test(counted) ? 'PASSED' : 'FAILED'
    return named === undefined ? bare(line, TESTED, 'FAILED') : oneOf(line, TESTED)
  })
  return found?.meaning ?? null
}

const FAILURES = /\b(?:FAILED(?::|\s*=)? ?(?=\d+\b|none\b)|(?=\d+ (?:tests? )?failed\b))(\d+|none)/i

/**
 * A decision word on its own line, with at most a short remark. A negative in capitals counts with any words after it: prose also begins
 * with `failed` or `approved`. Undefined for a line of prose.
 */
function bare<Word extends string>(text: string, words: readonly Word[], no: string): Word | null | undefined {
  const [, word = '', behind = ''] = WORD.exec(text) ?? []
  if (!words.some((known) => known.toLowerCase() === word.toLowerCase())) return undefined
  const isRemark = behind === '' || /^\s*[.!:;,(–—-]/.test(behind)
  return isRemark || word.startsWith(no) ? oneOf(text, words) : undefined
}

const WORD = /^([A-Za-z_]+)(?![A-Za-z_])(.*)$/s

/** A yes followed by one of these is conditional, or a no. */
const CONDITION =
  /^[\s,;:.!(–—-]*(?:but only|only|if|unless|once|when|until|after|assuming|provided|providing|pending|subject to|is|was|would|will|can|cannot|could|not)\b/i
const YES: readonly string[] = ['APPROVE', 'APPROVED', 'SUBMIT', 'PASSED']

/** The decision word at the beginning of a text. Null if the words after it name another decision or make the yes conditional. */
function oneOf<Word extends string>(text: string, words: readonly Word[]): Word | null {
  const [, said = '', behind = ''] = WORD.exec(text) ?? []
  const word = words.find((known) => known.toLowerCase() === said.toLowerCase())
  if (word === undefined || /^\s*\?/.test(behind)) return null
  if (YES.includes(word) && CONDITION.test(behind)) return null
  const others = words.filter((known) => known !== word && !word.startsWith(known) && !known.startsWith(word))
  const isNamed = (other: string) =>
    new RegExp(`\\b${other}\\b`).test(behind) || new RegExp(`^\\s*(?:or|/|\\||,)\\s*${other}\\b`, 'i').test(behind)
  return others.some(isNamed) ? null : word
}

/** Whether a line begins with another decision word, spelled as in the prompt. */
function isOther<Word extends string>(text: string, word: Word, words: readonly Word[]): boolean {
  const [, said = ''] = WORD.exec(text) ?? []
  return words.some((known) => known !== word && (said === known || said === `${known}ED`))
}
