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
 * The last of the lines that means something, with what it means and where it is; null when none does. What is in a code block counts
 * where nothing outside does: agents put the line that they were asked for into one.
 */
export function findLast<Meaning>(
  lines: readonly AnswerLine[],
  read: (text: string) => Meaning | null,
): { meaning: Meaning; at: number } | null {
  for (const code of [false, true]) {
    for (let at = lines.length - 1; at >= 0; at--) {
      const meaning = lines[at]!.code === code ? read(lines[at]!.text) : null
      if (meaning !== null) return { meaning, at }
    }
  }
  return null
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
