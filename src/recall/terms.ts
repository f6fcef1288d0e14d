import { countWords, tokenize } from '../text/tokens.ts'

/** One keyword of a query: a word, or a compound such as a path, flag or error code, matched as a phrase. */
export interface Term {
  text: string
  tokens: string[]
  /** A common word: only used if the query has no others. */
  common?: true
}

/** More terms add cost but little information. A set of terms is a 32-bit mask. */
const MOST_TERMS = 32

const STOP_WORDS = new Set(
  `a about after all also am an and any are aren't as at be because been before being but by can can't could did didn't do does doesn't
  doing don't for from had has have having he her here him his how i if in into is isn't it its itself just me more most my no nor
  not of off on once one only or other our out over own same she should so some such than that the their them then there these they
  this those through to too up us very was wasn't we were what when where which while who whom why will with won't would you your`
    .split(/\s+/)
    .filter(Boolean),
)
const STOP_TOKENS = new Set([...STOP_WORDS].flatMap(tokenize))

/** Whether a token is a common word's. */
export function isStopToken(token: string): boolean {
  return STOP_TOKENS.has(token)
}

/** The terms of a query, without common words unless there are no others. */
export function queryTerms(query: string): Term[] {
  const words = query.split(/\s+/).map((word) => word.replace(/['’]s$/u, ''))
  const telling = words.filter((word, i) => !STOP_WORDS.has(bare(word)) && !isMeasure(words[i - 1], word))
  const terms = new Map<string, Term>()
  const add = (text: string, tokens: string[]) => {
    if (tokens.length === 0) return
    const common = telling.length === 0 || tokens.every((token) => STOP_TOKENS.has(token))
    terms.set(tokens.join(' '), { text, tokens, ...(common ? { common } : {}) })
  }
  for (const word of telling.length > 0 ? telling : words) {
    const tokens = tokenize(word)
    // Written without spaces, it is several words; single characters in it only join others.
    const inside = isRun(bare(word)) ? tokens.filter((token) => [...token].length > 1) : []
    for (const token of inside) add(token, [token])
    if (inside.length > 0) continue
    add(bare(word) || word, tokens)
    // The parts of a compound are weaker evidence.
    if (tokens.length > 1)
      for (const part of word.match(/[\p{L}\p{N}]{2,}/gu) ?? []) add(part.toLowerCase(), tokenize(part))
  }
  return [...terms.values()].slice(0, MOST_TERMS)
}

/** Whether a word has no marks inside at which it could be split. */
function isRun(word: string): boolean {
  return /^[\p{L}\p{N}\p{M}]+$/u.test(word) && tokenize(word).length > 1
}

/** Whether a term is a code, a version, a path or a flag rather than a word. */
export function isCode(text: string): boolean {
  return CODE.test(text)
}
/**
 * Letters mixed with digits; parts joined by signs; a path; a multi-word flag; a number of at least three digits that
 * is not a year.
 */
const CODE =
  /^(?=.*\d)(?=.*\p{L})[\p{L}\p{N}]+$|[\p{L}\p{N}][_.:=\\@]+[\p{L}\p{N}*]|[\p{L}\p{N}]{3}\/[\p{L}\p{N}*]{3}|\d-|-\d|-.+-|^(?!19|20)\d{3,}$/u

/**
 * Whether a query asks for a fact about what it names. "What is X" does not: anything about X answers it. Nor do a few
 * words without a question word: "X?" means X.
 */
export function isQuestion(query: string): boolean {
  if (WHAT_IS.test(query)) return false
  if (ASKING.test(query)) return true
  const words = query.replace(/[\s?？]+$/u, '')
  const marked = /[?？]/.test(query.slice(words.length))
  return marked && (ASKING_ELSEWHERE.test(query) || countWords(words) > NAME_WORDS)
}
const WHAT_IS = /^\s*what(?:['’]s|\s+(?:is|are|was|were|does))\s/i
const ASKING =
  /^\s*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|may|should|will|would|has|have)\s/i
/** The same in other languages and word orders. */
const ASKING_ELSEWHERE =
  /(?<!\p{L})(?:who|what|when|where|which|why|how|wer|wen|wem|was|wann|wo|woher|wohin|wie|warum|wieso|welche[rsnm]?|wieviele?|ist|sind|kann|gibt|qui|que|quoi|quand|où|comment|pourquoi|quel(?:le)?s?|combien|est-ce|qui[ée]n|qu[ée]|cu[áa]ndo|d[óo]nde|c[óo]mo|cu[áa]l(?:es)?|cu[áa]nt[oa]s?)(?!\p{L})|いつ|どこ|どの|どう|なぜ|何|誰|だれ|いくつ|か[?？]|什么|怎么|为什么|哪|谁|多少|几|吗|언제|어디|누가|무엇|왜|어떻게|몇/iu
/** Up to this many words are a name. */
const NAME_WORDS = 4

/** "How long", "how many": a way to ask, not the subject. */
function isMeasure(before: string | undefined, word: string): boolean {
  return before !== undefined && bare(before) === 'how' && MEASURES.has(bare(word))
}
const MEASURES = new Set([
  'long',
  'many',
  'much',
  'often',
  'far',
  'old',
  'big',
  'large',
  'deep',
  'soon',
  'fast',
  'quickly',
])

function bare(word: string): string {
  return word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}

/** A capitalised word, as names are written. */
const NAME = /(?<![\p{L}\p{N}_./-])(\p{Lu}\p{Ll}[\p{L}\p{M}]*)(?:['’]s)?(?![\p{L}\p{N}_/-])/gu

/** The words of a query that may be names, each with its tokens. */
export function namesIn(query: string): Term[] {
  const found = [...query.matchAll(NAME)].map(([, name]) => name!)
  return [...new Set(found)]
    .filter((name) => !STOP_WORDS.has(name.toLowerCase()))
    .map((name) => ({ text: name, tokens: tokenize(name) }))
    .filter(({ tokens }) => tokens.length === 1)
}

/** The query with one article: "a build" and "the build" mean the same. */
export function withPlainArticles(query: string): string {
  return query.replace(/(?<![\p{L}\p{N}_.'’-])an?(?= \p{L})/gu, 'the')
}

/** The query without these names; unchanged if too little would remain. */
export function withoutNames(query: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return query
  const rest = query
    .replace(NAME, (whole, name: string) => (names.has(name) ? ' ' : whole))
    .replace(/\s+/g, ' ')
    .trim()
  const telling = rest.split(' ').filter((word) => bare(word) !== '' && !STOP_WORDS.has(bare(word)))
  return telling.length > 0 ? rest : query
}
