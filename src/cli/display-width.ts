/** Characters that take two columns: East Asian scripts, and emoji that always display as emoji. */
const WIDE =
  /[\u1100-\u115F\u231A\u231B\u2329\u232A\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18CFF}\u{1AFF0}-\u{1B2FF}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u
/** Latin letters and common punctuation: one column each, whatever is next to them. */
const PLAIN = /^[\x20-\x7E\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027\u2190-\u21FF]*$/
/** A variation selector for the emoji form, or a pair of flag letters. */
const EMOJI = /\uFE0F|\p{Regional_Indicator}{2}/u
const UNSEEN = /^[\p{M}\p{Cf}\u200D]+$/u

/** Created on first use: that takes as long as a quick command. */
let segmenter: Intl.Segmenter | null = null

function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** Terminal columns of a text. What a reader sees as one character is counted once. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let sum = 0
  for (const { segment } of charactersOf(text)) sum += widthOfCharacter(segment)
  return sum
}

function widthOfCharacter(segment: string): number {
  if (WIDE.test(segment) || EMOJI.test(segment)) return 2
  return UNSEEN.test(segment) ? 0 : 1
}

export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  if (columns < 1) return ''
  let shown = ''
  let used = 0
  for (const { segment } of charactersOf(text)) {
    used += widthOfCharacter(segment)
    if (used > columns - 1) break
    shown += segment
  }
  return `${shown.trimEnd()}…`
}

/**
 * Wraps between words at this many columns. Each line but the first begins with `indent`; the first line's prefix is as wide.
 * An indented line is a command or a row: it is kept whole, for copying.
 */
export function wrapTo(text: string, columns: number, indent = ''): string {
  const room = Math.max(10, columns - widthOf(indent))
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, room))
    .join(`\n${indent}`)
}

function wrapLine(line: string, room: number): string[] {
  if (line.startsWith('  ') || widthOf(line) <= room) return [line]
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<=\s)(?=\S)/)) {
    if (current.trim() !== '' && widthOf((current + word).trimEnd()) > room) {
      lines.push(current.trimEnd())
      current = ''
    }
    current += word
  }
  return [...lines, current.trimEnd()]
}
