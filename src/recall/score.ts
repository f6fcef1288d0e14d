import type { Memory } from '../model/memory.ts'
import { includesPhrase, tokenize } from '../text/tokens.ts'
import type { Words } from './fuse.ts'
import { RANKING, type Ranking } from './ranking.ts'
import { isCode, type Term } from './terms.ts'

export interface WeighedTerm extends Term {
  /** How much finding this term tells: its information in the scopes, in nats. */
  weight: number
  /** A code, path or flag that few memories hold: whoever names it means these. */
  sign?: boolean
  /** It names a time, and the question asks for that time besides: it is evidence where it is held, and not missed where it is not. */
  ofTime?: boolean
}

/** Keeps rarity meaningful while the store is still small. */
const PRIOR_DOCUMENTS = 50
/** More memories than this make a code a topic. */
const FEW = 3

/** This share of what a question says is most of it. */
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

/** What a term tells that so many of the memories hold, in nats. */
export function informationOf(frequency: number, documents: number): number {
  return Math.max(0.1, Math.log((documents + PRIOR_DOCUMENTS) / (frequency + 0.5)))
}

/** What keyword search looks at: the text, the service and the tags, kept apart so that no phrase spans two of them. */
interface Searchable {
  tokens: readonly string[]
  distinct: ReadonlySet<string>
  /** A bit for each token, of 64 in two halves, so that most that are not there need not be looked for. */
  bits: readonly [number, number]
}

function searchable({ content, service, tags }: Memory): Searchable {
  // Most have a text alone, and a text that was looked up before need not be hashed again.
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

/** Tokens of memories scored lately: the same candidates come again and again, and tokenizing them costs more than the rest. */
const recent = new Map<string, Searchable>()
const MOST_RECENT = 12_000

/** One of 64 bits, from a few of its letters. */
function bitOf(token: string): number {
  const { length } = token
  const letters = token.charCodeAt(length - 1) + 7 * token.charCodeAt(length >> 1) + 13 * token.charCodeAt(0)
  return (letters + 5 * length) & 63
}

/** Words in a memory, its service and tags included. */
export function countWords(memory: Memory): number {
  return searchable(memory).tokens.length
}

/** Which terms of one query memories hold, and what that tells. */
export class KeywordScorer {
  readonly terms: readonly WeighedTerm[]
  /** The bit of each term's first token. */
  readonly #bits: readonly number[]
  /** All that the query asks for, and what none of its words holds. */
  readonly #total: number
  readonly #open: number
  /** The signs among the terms, a bit for each. */
  readonly #signs: number
  /** The terms that a line of a thread may lend to another, a bit for each. */
  readonly lendable: number
  readonly #ranking: Ranking

  /** `more`: information that the query asks for besides its terms; `open`: what it wants to be told, and words cannot hold. */
  constructor(terms: readonly WeighedTerm[], { more = 0, open = 0 } = {}, ranking: Ranking = RANKING) {
    this.terms = terms
    this.#bits = terms.map(({ tokens }) => bitOf(tokens[0]!))
    this.#total = terms.reduce((sum, { weight, ofTime }) => (ofTime ? sum : sum + weight), 0) + more
    this.#open = open
    this.#signs = terms.reduce((bits, { sign }, i) => (sign ? bits | (1 << i) : bits), 0)
    this.lendable = ~terms.reduce((bits, { ofTime }, i) => (ofTime ? bits | (1 << i) : bits), 0)
    this.#ranking = ranking
  }

  /** The terms that the memory holds, a bit for each. */
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

  /** The share of what the query asks for, 0 to 1. */
  shareOf(information: number): number {
    return this.#total === 0 ? 0 : Math.min(1, information / this.#total)
  }

  /** 0 to 1 each, absolute: what so much information is worth as a part of an answer, and as a whole one or with a sign. */
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

  /** The same of a line of a thread: as much as it answers. */
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
