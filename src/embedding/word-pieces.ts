import { readWhole, sha256 } from './runtime-files.ts'

/** Cuts a text into the numbered pieces of words that a model reads, without those that mark beginning and end. */
export type WordPieces = (text: string) => number[]

/** SHA-256 of `tokenizer.json`, which all models of this package share: they know no other numbers. */
const TOKENIZER_SHA256 = 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef'

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

/** A `tokenizer.json` that can be read and is not the models'. */
export class WrongTokenizer extends Error {
  readonly hashes: { sha256: string; expected: string }

  constructor(found: string) {
    super('is damaged or another one: its SHA-256 is wrong')
    this.hashes = { sha256: found, expected: TOKENIZER_SHA256 }
  }
}

/** Of the one file that all models have: parsing it takes a tenth of their loading. */
let known: WordPieces | null = null

/** From the models' `tokenizer.json`. Rejects when the file cannot be read, and with `WrongTokenizer` when it is another one. */
export async function readWordPieces(path: string): Promise<WordPieces> {
  const bytes = await readWhole(path)
  const found = sha256(bytes)
  if (found !== TOKENIZER_SHA256) throw new WrongTokenizer(found)
  known ??= parseWordPieces(bytes)
  return known
}

function parseWordPieces(bytes: Uint8Array): WordPieces {
  const { model } = JSON.parse(new TextDecoder().decode(bytes)) as { model: { vocab: Record<string, number> } }
  // As it was read: making a map of it takes as long as reading it. A text may say `constructor`, which only the vocabulary may know.
  return wordPieces(Object.setPrototypeOf(model.vocab, null))
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
