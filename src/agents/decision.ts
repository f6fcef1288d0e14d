import { answerLines, findLast } from './answer-lines.ts'

/** How an agent answered, with what it wrote for it. */
export interface Decision<Word extends string> {
  word: Word
  notes: string
  followUps: string[]
}

/** Lines around the decision that are looked at for its notes. */
const MOST_LINES = 60

/**
 * Reads the last `DECISION: WORD` of an answer, wherever it stands, with the `NOTES:` above it, or else below, and the `FOLLOW_UP:` lines
 * beside them. An answer without one of the words is no decision, and null; so is a line that names several.
 */
export function readDecision<Word extends string>(said: string, words: readonly Word[]): Decision<Word> | null {
  const lines = answerLines(said)
  const found = findLast(lines, (text) => {
    const word = /^DECISION: ?(.*)$/i.exec(text)?.[1]
    return word === undefined ? null : oneOf(word, words)
  })
  if (found === null) return null
  const texts = lines.map(({ text }) => text)
  const above = texts.slice(Math.max(0, found.at - MOST_LINES), found.at)
  const below = texts.slice(found.at + 1, found.at + 1 + MOST_LINES)
  const notes = notesOf(above.slice(lastNotes(above))) ?? notesOf(paragraphOf(below)) ?? ''
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

/** The last verdict of a review, wherever it stands: `VERDICT: ...`, or the word that the reviewer's role asks for. */
export function readVerdict(said: string): Verdict | null {
  const found = findLast(answerLines(said), (text) => {
    const named = /^VERDICT: ?(.*)$/i.exec(text)?.[1]
    if (named !== undefined) return oneOf(named, ['APPROVE', 'APPROVED', 'REJECT', 'REJECTED'])
    return oneOf(text, ['APPROVED', 'REJECTED'], { exactly: true })
  })
  return found && (found.meaning.startsWith('APPROVE') ? 'APPROVE' : 'REJECT')
}

export type TestVerdict = 'PASSED' | 'FAILED'

/** The same of a tester. No failures at all is a way to say that everything passed. */
export function readTestVerdict(said: string): TestVerdict | null {
  const found = findLast<TestVerdict>(answerLines(said), (text) => {
    const line = text.replace(/^VERDICT: ?/i, '')
    if (/^FAILED: ?0\b/.test(line)) return 'PASSED'
    return oneOf(line, ['PASSED', 'FAILED'], { exactly: true })
  })
  return found?.meaning ?? null
}

/** The word at the beginning of a text. Behind it is nothing, or a remark that names no other one. */
function oneOf<Word extends string>(text: string, words: readonly Word[], { exactly = false } = {}): Word | null {
  const said = /^([A-Za-z_]+)(?:\s*[.!:;,(–—-].*)?$/.exec(text)?.[1]
  const same = (a: string, b: string) => (exactly ? a === b : a.toLowerCase() === b.toLowerCase())
  const word = words.find((known) => same(known, said ?? ''))
  if (word === undefined) return null
  const others = words.filter((known) => known !== word && !word.startsWith(known))
  return others.some((other) => new RegExp(`\\b${other}\\b`).test(text)) ? null : word
}
