import { readFile } from 'node:fs/promises'

/** Cuts a text into the numbered pieces of words that a model reads, without those that mark beginning and end. */
export type WordPieces = (text: string) => number[]

/** The pieces that begin and end what a model reads. A text that spells them out gets others: it cannot end itself. */
export const [CLS, SEP] = [101, 102]

const UNKNOWN = 100
/** Longer words are not looked up. */
const LONGEST_WORD = 100

const PLAIN = /^[\t\n\r\x20-\x7e]*$/
/** Invisible characters; tabs and line ends are spaces. */
const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu
const ACCENT = /\p{Mn}/gu
/** Each is a word of its own. */
const IDEOGRAPH = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/g
/** A word, or one sign of punctuation. */
const WORD = /[^\s\p{P}!-/:-@[-`{-~]+|[\p{P}!-/:-@[-`{-~]/gu

type Vocabulary = Readonly<Record<string, number | undefined>>

/** Vocabularies by the text of their file: the models of this package have the same, and reading it takes a tenth of their loading. */
const read = new Map<string, WordPieces>()

/** From a `tokenizer.json` of the lower-case BERT kind. Rejects when the file cannot be read or is of another kind. */
export async function readWordPieces(path: string): Promise<WordPieces> {
  const json = await readFile(path, 'utf8')
  const known = read.get(json)
  if (known) return known
  const { model } = JSON.parse(json) as { model?: { type?: string; vocab?: Record<string, number> } }
  if (model?.type !== 'WordPiece' || model.vocab === undefined) throw new TypeError('not a WordPiece vocabulary')
  // As it was read: making a map of it takes as long as reading it. A text may say `constructor`, which only the vocabulary may know.
  const pieces = wordPieces(Object.setPrototypeOf(model.vocab, null))
  read.set(json, pieces)
  return pieces
}

function wordPieces(vocabulary: Vocabulary): WordPieces {
  return (text) => (normalize(text).match(WORD) ?? []).flatMap((word) => vocabulary[word] ?? cut(word, vocabulary))
}

function normalize(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  return text.replace(DROPPED, '').replace(IDEOGRAPH, ' $& ').toLowerCase().normalize('NFD').replace(ACCENT, '')
}

/** The longest known beginning, then the longest that goes on from there; a word that cannot be cut so is unknown as a whole. */
function cut(word: string, vocabulary: Vocabulary): number[] {
  const characters = [...word]
  if (characters.length > LONGEST_WORD) return [UNKNOWN]
  const found: number[] = []
  for (let start = 0; start < characters.length; ) {
    let end = characters.length
    let id: number | undefined
    for (; end > start; end--) {
      id = vocabulary[(start > 0 ? '##' : '') + characters.slice(start, end).join('')]
      if (id !== undefined) break
    }
    if (id === undefined) return [UNKNOWN]
    found.push(id)
    start = end
  }
  return found
}
