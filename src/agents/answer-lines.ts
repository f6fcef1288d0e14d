import { FenceTracker } from '../capture/fence.ts'
import { withoutMarkers } from '../capture/markers.ts'

/** A line of an answer, without what Markdown puts around it. */
interface AnswerLine {
  text: string
  code: boolean
}

/**
 * The lines of an answer in which something may be decided. Memory markers are gone, wherever they stood: they are captured apart. A
 * quotation keeps its mark, so that somebody else's words decide nothing.
 */
export function answerLines(said: string): AnswerLine[] {
  const fence = new FenceTracker()
  return withoutMarkers(said)
    .split('\n')
    .map((line) => ({ code: fence.isCode(line), text: plain(line) }))
}

/**
 * The last of the lines that says something, with what it means and where it is. Null when none does, and also when the last one is
 * unclear (`read` gives null; undefined for a line that says nothing): what was said before it does not hold any more. What is in a
 * code block counts where nothing outside does: agents put the line that they were asked for into one. A block behind the last line
 * that says something else leaves it unclear.
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

/** Without list marks, headings and emphasis: also `**NOTES:** text` and `**NOTES**: text`. */
function plain(line: string): string {
  return line
    .trim()
    .replace(/^(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+)+/, '')
    .replace(/^[*_`]+|[*_`]+$/g, '')
    .replace(/^([A-Za-z][A-Za-z_ ]*?)[*_`]*:[*_`]*\s*/, '$1: ')
    .replace(/[*_`]+(?=[.!]?$)/, '')
    .trim()
}
