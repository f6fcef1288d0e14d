import type { Memory } from '../model/memory.ts'
import { includesPhrase, tokenize } from '../text/tokens.ts'
import type { Words } from './fuse.ts'
import { RANKING, type Ranking } from './ranking.ts'
import { isCode, type Term } from './terms.ts'

export interface WeighedTerm extends Term {
  /** The information in this term, in nats, given the scopes. */
  weight: number
  /** A code, path or flag that few memories contain: a query that names it means those. */
  sign?: boolean
  /** Part of a time that the question names: counts if present, and is not missed otherwise. */
  ofTime?: boolean
}

/** Keeps rarity meaningful while the store is still small. */
const PRIOR_DOCUMENTS = 50
/** A code in more memories than this is a topic. */
const FEW = 3

/** A term with at least this share of the information is most of the question. */
const MAIN = 0.5

/** Weighs terms by rarity. */
export function weighTerms(
  terms: readonly Term[],
  frequencies: readonly number[],
  documents: number,
  { unseen }: Pick<Ranking, 'unseen'> = RANKING,
): WeighedTerm[] {
  return terms.map((term, i) => {
    const frequency = frequencies[i] ?? 0
    const information = informationOf(frequency, documents)
    const sign = frequency > 0 && frequency <= FEW && isCode(term.text)
    return { ...term, sign, weight: frequency === 0 ? information * unseen : information }
  })
}

/** The information in a term that this many memories contain, in nats. */
export function informationOf(frequency: number, documents: number): number {
  return Math.max(0.1, Math.log((documents + PRIOR_DOCUMENTS) / (frequency + 0.5)))
}

/** The fields keyword search looks at: text, service and tags, separate so that no phrase spans two of them. */
interface Searchable {
  tokens: readonly string[]
  distinct: ReadonlySet<string>
  /** A 64-bit Bloom filter of the tokens, in two halves, to skip most misses quickly. */
  bits: readonly [number, number]
}

function searchable({ content, service, tags }: Memory): Searchable {
  // Most memories only have text, which is then a key that need not be built and hashed.
  const key = service === null && tags.length === 0 ? content : [content, service ?? '', ...tags].join('\0')
  let known = recent.get(key)
  if (known === undefined) {
    const tokens = [content, service ?? '', ...tags].flatMap((text) => [...tokenize(text), ''])
    const bits: [number, number] = [0, 0]
    for (const token of tokens) if (token !== '') bits[bitOf(token) >> 5]! |= 1 << (bitOf(token) & 31)
    known = { tokens, distinct: new Set(tokens), bits }
    if (recent.size >= MOST_RECENT) recent.clear()
    recent.set(key, known)
  }
  return known
}

/**
 * Cache of tokens of recently scored memories: the same candidates recur, and tokenizing is the most expensive part.
 */
const recent = new Map<string, Searchable>()
const MOST_RECENT = 12_000

/** One of 64 bits, from a few of its letters. */
function bitOf(token: string): number {
  const { length } = token
  const letters = token.charCodeAt(length - 1) + 7 * token.charCodeAt(length >> 1) + 13 * token.charCodeAt(0)
  return (letters + 5 * length) & 63
}

/** The number of words in a memory, including service and tags. */
export function countWords(memory: Memory): number {
  return searchable(memory).tokens.length
}

/** Which terms of a query memories contain, and how much information that is. */
export class KeywordScorer {
  readonly terms: readonly WeighedTerm[]
  /** The bit of each term's first token. */
  readonly #bits: readonly number[]
  /** All information the query asks for, and the part that no word holds. */
  readonly #total: number
  readonly #open: number
  /** The sign terms, as a bit mask. */
  readonly #signs: number
  /** The terms that one line of a thread may lend to another, as a bit mask. */
  readonly lendable: number
  readonly #ranking: Ranking

  /**
   * `more`: information the query asks for besides its terms; `open`: the answer it wants, which its words cannot
   * contain.
   */
  constructor(terms: readonly WeighedTerm[], { more = 0, open = 0 } = {}, ranking: Ranking = RANKING) {
    this.terms = terms
    this.#bits = terms.map(({ tokens }) => bitOf(tokens[0]!))
    this.#total = terms.reduce((sum, { weight, ofTime }) => (ofTime ? sum : sum + weight), 0) + more
    this.#open = open
    this.#signs = terms.reduce((bits, { sign }, i) => (sign ? bits | (1 << i) : bits), 0)
    this.lendable = ~terms.reduce((bits, { ofTime }, i) => (ofTime ? bits | (1 << i) : bits), 0)
    this.#ranking = ranking
  }

  /** The terms the memory contains, as a bit mask. */
  held(memory: Memory): number {
    if (this.terms.length === 0) return 0
    const text = searchable(memory)
    const [low, high] = text.bits
    let held = 0
    for (let i = 0; i < this.#bits.length; i++) {
      const bit = this.#bits[i]!
      if ((((bit < 32 ? low : high) >>> (bit & 31)) & 1) !== 0 && this.#holds(text, i)) held |= 1 << i
    }
    return held
  }

  /** The information in these terms, in nats. */
  informationIn(held: number): number {
    let sum = 0
    for (let left = held, i = 0; left !== 0; left >>>= 1, i++) if ((left & 1) !== 0) sum += this.terms[i]!.weight
    return sum
  }

  /** The share of the query's information, 0 to 1. */
  shareOf(information: number): number {
    return this.#total === 0 ? 0 : Math.min(1, information / this.#total)
  }

  /** 0 to 1 each, absolute: the value of this information as a partial answer, and as a whole one or with a sign. */
  worth(information: number, held = 0, timely = false): Words {
    if (information <= 0) return { part: 0, whole: 0 }
    const { part, whole, wholeness, timely: ofTime } = this.#ranking
    const strength = this.#strengthOf(information)
    const all = Math.min(1, information / (this.#total + this.#open))
    return {
      part: part * this.shareOf(information) * strength,
      whole: Math.max(whole * all ** wholeness * strength, this.#worthOfSigns(held), timely ? ofTime : 0),
    }
  }

  #worthOfSigns(held: number): number {
    const own = this.#signs & held
    if (own === 0) return 0
    const all = this.informationIn(this.#signs)
    const { sign, mainSign } = this.#ranking
    return ((this.shareOf(all) >= MAIN ? mainSign : sign) * this.informationIn(own)) / all
  }

  /** The same for a line of a thread: proportional to the share it answers. */
  worthInThread(information: number): number {
    return this.#ranking.threadWords * this.shareOf(information) * this.#strengthOf(information)
  }

  #strengthOf(information: number): number {
    return 1 - Math.exp(-information / this.#ranking.strongEvidence)
  }

  /** These terms, each with its share of the query. */
  explain(held: number): { term: string; weight: number }[] {
    return this.terms
      .filter((_, i) => (held >>> i) & 1)
      .map(({ text, weight }) => ({ term: text, weight: round(weight / this.#total) }))
  }

  #holds({ tokens, distinct }: Searchable, term: number): boolean {
    const phrase = this.terms[term]!.tokens
    return phrase.length === 1 ? distinct.has(phrase[0]!) : includesPhrase(tokens, phrase)
  }
}

export function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
