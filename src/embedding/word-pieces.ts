import { readWhole, sha256 } from './runtime-files.ts'

/** Splits a text into the numbered word pieces that a model reads, without the markers for beginning and end. */
export type WordPieces = (text: string) => number[]

/** SHA-256 of `tokenizer.json`, which all bundled models share: they were trained with its numbering. */
const TOKENIZER_SHA256 = 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef'

/** The marker pieces. A text that spells them out gets other pieces, so it cannot end itself. */
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
/** A word, or one punctuation mark. */
const WORD = /[^\s\p{P}!-/:-@[-`{-~]+|[\p{P}!-/:-@[-`{-~]/gu

/** The number of a piece. */
type Vocabulary = (piece: string) => number | undefined

/** A readable `tokenizer.json` that is not the models'. */
export class WrongTokenizer extends Error {
  readonly hashes: { sha256: string; expected: string }

  constructor(found: string) {
    super('is damaged or was replaced: its SHA-256 is wrong')
    this.hashes = { sha256: found, expected: TOKENIZER_SHA256 }
  }
}

const VOCABULARY = '"vocab": {'

/** Later models use the same pieces. */
let known: WordPieces | null = null

/** From the models' `tokenizer.json`. Rejects if the file cannot be read, and with `WrongTokenizer` if it is another one. */
export async function readWordPieces(path: string): Promise<WordPieces> {
  const bytes = await readWhole(path)
  const found = sha256(bytes)
  if (found !== TOKENIZER_SHA256) throw new WrongTokenizer(found)
  known ??= wordPieces(readVocabulary(bytes))
  return known
}

/** So many searches in the bytes take half as long as parsing, which takes a tenth of a model's loading time. */
const SEARCHES = 40

/** A command looks up a few words: it searches the bytes. Who looks up more gets them parsed. */
function readVocabulary(bytes: Buffer): Vocabulary {
  const text = bytes.subarray(bytes.indexOf(VOCABULARY) + VOCABULARY.length)
  let searches = 0
  let parsed: Readonly<Record<string, number | undefined>> | null = null
  return (piece) => {
    if (parsed === null && searches++ < SEARCHES) {
      const entry = Buffer.from(`${JSON.stringify(piece)}: `)
      const at = text.indexOf(entry)
      return at < 0 ? undefined : Number.parseInt(text.toString('latin1', at + entry.length, at + entry.length + 6), 10)
    }
    parsed ??= parse(bytes)
    return parsed[piece]
  }
}

function parse(bytes: Buffer): Readonly<Record<string, number | undefined>> {
  const { model } = JSON.parse(bytes.toString()) as { model: { vocab: Record<string, number> } }
  // Kept as parsed: building a map takes as long as parsing. A text may contain `constructor`, so only own properties count.
  return Object.setPrototypeOf(model.vocab, null)
}

function wordPieces(vocabulary: Vocabulary): WordPieces {
  return (text) => (normalize(text).match(WORD) ?? []).flatMap((word) => vocabulary(word) ?? cut(word, vocabulary))
}

function normalize(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  return text.replace(DROPPED, '').replace(IDEOGRAPH, ' $& ').toLowerCase().normalize('NFD').replace(ACCENT, '')
}

/** The longest known prefix, then the longest continuation; a word that cannot be split this way is unknown as a whole. */
function cut(word: string, vocabulary: Vocabulary): number[] {
  const characters = [...word]
  if (characters.length > LONGEST_WORD) return [UNKNOWN]
  const found: number[] = []
  for (let start = 0; start < characters.length; ) {
    let end = characters.length
    let id: number | undefined
    for (; end > start; end--) {
      id = vocabulary((start > 0 ? '##' : '') + characters.slice(start, end).join(''))
      if (id !== undefined) break
    }
    if (id === undefined) return [UNKNOWN]
    found.push(id)
    start = end
  }
  return found
}
