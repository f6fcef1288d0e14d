import { FenceTracker } from '../capture/fence.ts'
import { withoutMarkers } from '../capture/markers.ts'

/** One line of an answer, without Markdown markup. */
interface AnswerLine {
  text: string
  code: boolean
}

/**
 * The lines of an answer that may hold a decision. Memory markers are removed, because they are captured separately. A
 * quotation keeps its mark, so that quoted words decide nothing.
 */
export function answerLines(said: string): AnswerLine[] {
  const fence = new FenceTracker()
  return withoutMarkers(said)
    .split('\n')
    .map((line) => ({ code: fence.isCode(line), text: plain(line) }))
}

/**
 * The last line that states a decision, with its meaning and position. Null if there is none, or if the last one is unclear (`read`
 * returns null; undefined means the line states nothing): an unclear line cancels what was said before it. Lines in a
 * code block count only if no line outside states a decision, because agents sometimes fence the line they were asked for. A block after
 * the last line that says something different makes it unclear.
 */
export function findLast<Meaning>(
  lines: readonly AnswerLine[],
  read: (text: string) => Meaning | null | undefined,
): { meaning: Meaning; at: number } | null {
  const said = lines.flatMap(({ text, code }, at) => {
    const meaning = read(text)
    return meaning === undefined ? [] : [{ meaning, at, code }]
  })
  const last = said.at(-1)
  const found = said.findLast(({ code }) => !code) ?? last
  if (found === undefined || found.meaning === null || found.meaning !== last?.meaning) return null
  return { meaning: found.meaning, at: found.at }
}

/** Removes list marks, headings and emphasis, including `**NOTES:** text` and `**NOTES**: text`. */
function plain(line: string): string {
  return line
    .trim()
    .replace(/^(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+)+/, '')
    .replace(/^[*_`]+|[*_`]+$/g, '')
    .replace(/^([A-Za-z][A-Za-z_ ]*?)[*_`]*:[*_`]*\s*/, '$1: ')
    .replace(/[*_`]+(?=[.!]?$)/, '')
    .trim()
}
