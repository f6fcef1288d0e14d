/** A piece of a text: unchanged, only in the old text, or only in the new one. */
export interface Piece {
  kind: 'same' | 'old' | 'new'
  text: string
}

/** With more word pairs than this, both texts are shown whole: nobody compares that many by eye. */
const MOST_PAIRS = 4_000_000

/** The deletions and insertions that turn one text into another, word by word. */
export function diffWords(before: string, after: string): Piece[] {
  return diffParts(splitWords(before), splitWords(after))
}

/** The same, line by line. */
export function diffLines(before: string, after: string): Piece[] {
  const split = (text: string) => text.split(/(?<=\n)/).filter((line) => line !== '')
  return diffParts(split(before), split(after))
}

function diffParts(old: readonly string[], young: readonly string[]): Piece[] {
  let start = 0
  while (start < old.length && start < young.length && isSame(old[start], young[start])) start++
  let end = 0
  while (end < old.length - start && end < young.length - start && isSame(old.at(-1 - end), young.at(-1 - end))) end++
  const middle = compare(old.slice(start, old.length - end), young.slice(start, young.length - end))
  return joinPieces([
    { kind: 'same', text: young.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: young.slice(young.length - end).join('') },
  ])
}

/** Each word with its following space, so that a changed sentence is not split at equal spaces. */
function splitWords(text: string): string[] {
  const parts: string[] = []
  const words = new Intl.Segmenter('en', { granularity: 'word' })
  for (const { segment } of words.segment(text)) {
    if (parts.length > 0 && /^\s+$/.test(segment) && !/\s$/.test(parts.at(-1)!)) parts[parts.length - 1] += segment
    else parts.push(segment)
  }
  return parts
}

/** The following space is not part of the word: the last word of a text has none. */
function isSame(one: string | undefined, other: string | undefined): boolean {
  return one?.trimEnd() === other?.trimEnd()
}

function compare(old: readonly string[], young: readonly string[]): Piece[] {
  if (old.length * young.length > MOST_PAIRS) return whole(old, young)
  // Length of the longest common subsequence after each pair of positions.
  const width = young.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      common[i * width + j] = isSame(old[i], young[j])
        ? common[(i + 1) * width + j + 1]! + 1
        : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const pieces: Piece[] = []
  let [i, j] = [0, 0]
  while (i < old.length && j < young.length) {
    if (isSame(old[i], young[j])) {
      pieces.push({ kind: 'same', text: young[j]! })
      i++
      j++
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) pieces.push({ kind: 'old', text: old[i++]! })
    else pieces.push({ kind: 'new', text: young[j++]! })
  }
  return [...pieces, ...whole(old.slice(i), young.slice(j))]
}

function whole(old: readonly string[], young: readonly string[]): Piece[] {
  return [
    { kind: 'old', text: old.join('') },
    { kind: 'new', text: young.join('') },
  ]
}

/** Merges neighbours of one kind. Between unchanged pieces, deletions come before insertions. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  let gone = ''
  let come = ''
  const flush = () => {
    if (gone !== '') joined.push({ kind: 'old', text: gone })
    if (come !== '') joined.push({ kind: 'new', text: come })
    gone = ''
    come = ''
  }
  for (const { kind, text } of pieces) {
    if (kind === 'old') gone += text
    else if (kind === 'new') come += text
    else if (text !== '') {
      flush()
      const last = joined.at(-1)
      if (last?.kind === 'same') last.text += text
      else joined.push({ kind, text })
    }
  }
  flush()
  return joined
}
