import { stemmer } from 'stemmer'
import { rewrite } from './rewrites.ts'
import { lookUp, MAX_PHRASE, type Role } from './vocabulary.ts'

/** Longer texts are cut: a statement says what it says at its beginning, and the work stays bounded. */
const MAX_LENGTH = 1000

/** Words that begin a condition. */
export const CONDITIONS: ReadonlySet<string> = new Set(['if', 'when', 'while', 'during', 'unless', 'until'])

export interface Token {
  /** As written, in lower case. */
  text: string
  shape: 'word' | 'number' | 'version' | 'clock' | 'identifier' | 'mark'
  /** The meaning: see the vocabulary. */
  concept: string
  sign: 1 | -1
  role: Role
  kind: string | null
  /** Written like a name: a capital inside the sentence, or an identifier. */
  named: boolean
}

const PATTERNS: readonly (readonly [Token['shape'], string])[] = [
  ['identifier', '[a-z][a-z0-9+.-]*://[^\\s,;)]+'],
  ['identifier', '(?<![\\w)])(?:~|\\.{1,2})?/[\\w.@/*-]*\\w'],
  ['identifier', '[#@][\\w-]+|--?[a-z][\\w-]+(?==|\\b)(?<=\\s--?[\\w-]+)'],
  ['identifier', '\\d{1,3}(?:\\.\\d{1,3}){3}(?:/\\d+)?(?::\\d+)?'],
  ['clock', '\\d{1,2}:\\d{2}(?:\\s?[ap]\\.?m\\b\\.?)?|\\d{1,2}\\s?[ap]\\.?m\\b\\.?'],
  ['version', 'v?\\d+(?:\\.\\d+)+(?:\\.x)?(?:-[a-z]+[\\w.]*)?|v\\d+|\\d+\\.x'],
  ['identifier', '[a-z]+(?:-[a-z]+)*-\\d+[a-z]?\\b'],
  ['number', '\\d{1,3}(?:[,_]\\d{3})+|\\d+'],
  ['identifier', '[a-z][a-z0-9]*(?:[._:@][a-z0-9_-]+)+|\\*\\.[a-z.]+'],
  ['word', '[a-zµ%][a-z0-9]*'],
  ['mark', '[,;:()]|[.!?](?=\\s|$)|\\s[-–—]+\\s'],
]
const SCANNER = new RegExp(PATTERNS.map(([, pattern]) => `(${pattern})`).join('|'), 'g')

const UNITS_AND_TENS =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen twenty`.split(/\s+/)
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...UNITS_AND_TENS.map((word, value): [string, number] => [word, value]).slice(1),
  ['thirty', 30],
  ['forty', 40],
  ['fifty', 50],
  ['sixty', 60],
  ['seventy', 70],
  ['eighty', 80],
  ['ninety', 90],
  ['hundred', 100],
  ['dozen', 12],
])

/** The words of a statement with their meaning, phrases joined, in order. */
export function normalize(text: string): Token[] {
  const cut = text.slice(0, MAX_LENGTH).normalize('NFKC').replace(/\s+/g, ' ').trim()
  const names = namesIn(cut)
  return joinPhrases(scan(rewrite(cut), names))
}

/** Words with a capital that is not just the sentence's beginning, or with several capitals. */
function namesIn(text: string): Set<string> {
  const names = new Set<string>()
  for (const match of text.matchAll(/\b[A-Za-z][\w-]*/g)) {
    const word = match[0]
    const starts = match.index === 0 || /[.!?:]\s*$/.test(text.slice(Math.max(0, match.index - 3), match.index))
    if (/[A-Z]/.test(starts ? word.slice(1) : word)) names.add(word.toLowerCase())
    if (/_|\d/.test(word)) names.add(word.toLowerCase())
  }
  return names
}

function scan(text: string, names: ReadonlySet<string>): Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(SCANNER)) {
    const index = match.slice(1).findIndex((group) => group !== undefined)
    const shape = PATTERNS[index]?.[0] ?? 'word'
    const written = match[0].trim()
    const value = shape === 'number' ? written.replace(/[,_]/g, '') : written
    if (shape === 'word' && isNegated(written)) {
      tokens.push(wordToken('not', names), wordToken(written.replace(NEGATIVE_PREFIX, ''), names))
      continue
    }
    tokens.push({
      text: value,
      shape,
      concept: shape === 'word' ? stemmer(value) : value,
      sign: 1,
      role: shape === 'mark' ? 'stop' : 'plain',
      kind: shape === 'identifier' ? identifierKind(value) : null,
      named: shape === 'identifier' || names.has(written),
    })
  }
  return tokens
}

const NEGATIVE_PREFIX = /^(?:un|in|im|ir|il|non|dis)(?=[a-z]{5})/

/** `irreversible`, `unmounted`: not in the vocabulary, but its opposite is. */
function isNegated(word: string): boolean {
  if (!NEGATIVE_PREFIX.test(word) || lookUp(word) !== null) return false
  const role = lookUp(word.replace(NEGATIVE_PREFIX, ''))?.role
  return role === 'plain' || role === 'predicate' || role === 'axis'
}

function wordToken(text: string, names: ReadonlySet<string>): Token {
  return { text, shape: 'word', concept: stemmer(text), sign: 1, role: 'plain', kind: null, named: names.has(text) }
}

function joinPhrases(tokens: readonly Token[]): Token[] {
  const joined: Token[] = []
  for (let at = 0; at < tokens.length; ) {
    const [token, length] = longestPhrase(tokens, at)
    joined.push(token)
    at += length
  }
  return joined
}

function longestPhrase(tokens: readonly Token[], at: number): [Token, number] {
  const first = tokens[at] as Token
  for (let length = Math.min(MAX_PHRASE, tokens.length - at); length > 0; length--) {
    const part = tokens.slice(at, at + length)
    if (part.some((token) => token.shape !== 'word')) continue
    const text = part.map((token) => token.text).join(' ')
    const meaning = lookUp(text)
    if (meaning !== null) return [{ ...first, text, ...meaning, named: part.some((token) => token.named) }, length]
  }
  const value = isPronoun(tokens, at) ? undefined : NUMBER_WORDS.get(first.text)
  return [value === undefined ? first : { ...first, text: String(value), shape: 'number' }, 1]
}

/** `a full one`: counts nothing. */
function isPronoun(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]
  return (
    tokens[at]?.text === 'one' && (next === undefined || next.shape === 'mark' || lookUp(next.text)?.role === 'stop')
  )
}

function identifierKind(text: string): string {
  if (text.includes('/') && !/^\d/.test(text)) return 'path'
  if (/^[#@]/.test(text)) return 'channel'
  if (/^\d/.test(text)) return 'address'
  return 'identifier'
}
