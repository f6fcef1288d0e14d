import type { Memory } from '../model/memory.ts'
import { includesPhrase, tokenize } from '../text/tokens.ts'
import type { Term } from './terms.ts'

export interface WeighedTerm extends Term {
  /** How much finding this term tells: its information in the store, in nats. */
  weight: number
}

/** Keeps rarity meaningful while the store is still small. */
const PRIOR_DOCUMENTS = 50
/** Information from which a match counts as strong evidence. */
const STRONG_EVIDENCE = 3
/** Words alone never make certain. */
const MOST_KEYWORD = 0.95

/** Weighs terms by rarity. A word that no memory holds may be the reader's own way of saying it: it counts half. */
export function weighTerms(terms: readonly Term[], frequencies: readonly number[], documents: number): WeighedTerm[] {
  return terms.map((term, i) => {
    const frequency = frequencies[i] ?? 0
    const information = Math.max(0.1, Math.log((documents + PRIOR_DOCUMENTS) / (frequency + 0.5)))
    return { ...term, weight: frequency === 0 ? information / 2 : information }
  })
}

/** What keyword search looks at: the text, the service and the tags, kept apart so that no phrase spans two of them. */
interface Searchable {
  tokens: readonly string[]
  distinct: ReadonlySet<string>
  /** A bit for each token, so that most that are not there need not be looked for. */
  bits: number
}

function searchable({ content, service, tags }: Memory): Searchable {
  // Most have a text alone, and a text that was looked up before need not be hashed again.
  const key = service === null && tags.length === 0 ? content : [content, service ?? '', ...tags].join('\0')
  let known = recent.get(key)
  if (known === undefined) {
    const tokens = [content, service ?? '', ...tags].flatMap((text) => [...tokenize(text), ''])
    const bits = tokens.reduce((sum, token) => sum | bitOf(token), 0)
    known = { tokens, distinct: new Set(tokens), bits }
    if (recent.size >= MOST_RECENT) recent.clear()
    recent.set(key, known)
  }
  return known
}

/** Tokens of memories scored lately: the same candidates come again and again, and tokenizing them costs more than the rest. */
const recent = new Map<string, Searchable>()
const MOST_RECENT = 12_000

/** One of 32 bits, from a few of its letters. */
function bitOf(token: string): number {
  const { length } = token
  if (length === 0) return 0
  const letters = token.charCodeAt(length - 1) + 7 * token.charCodeAt(length >> 1) + 13 * token.charCodeAt(0)
  return 1 << ((letters + 5 * length) & 31)
}

/** How well memories hold the terms of one query. */
export class KeywordScorer {
  readonly #terms: readonly WeighedTerm[]
  /** The bit of each term's first token. */
  readonly #bits: readonly number[]
  /** All that the query asks for. */
  readonly #total: number

  constructor(terms: readonly WeighedTerm[]) {
    this.#terms = terms
    this.#bits = terms.map(({ tokens }) => bitOf(tokens[0]!))
    this.#total = terms.reduce((sum, { weight }) => sum + weight, 0)
  }

  /** 0 to 1, absolute: the share of the query's information that the memory holds, discounted where that is little. */
  score(memory: Memory): number {
    if (this.#terms.length === 0) return 0
    const text = searchable(memory)
    const bits = this.#bits
    let mass = 0
    for (let i = 0; i < bits.length; i++) {
      if ((text.bits & bits[i]!) !== 0 && this.#holds(text, i)) mass += this.#terms[i]!.weight
    }
    return mass === 0 ? 0 : MOST_KEYWORD * (mass / this.#total) * (1 - Math.exp(-mass / STRONG_EVIDENCE))
  }

  /** The terms that the memory holds, each with its share of the query. */
  held(memory: Memory): { term: string; weight: number }[] {
    const text = searchable(memory)
    return this.#terms
      .filter((_, i) => this.#holds(text, i))
      .map((term) => ({ term: term.text, weight: round(term.weight / this.#total) }))
  }

  #holds({ tokens, distinct }: Searchable, term: number): boolean {
    const phrase = this.#terms[term]!.tokens
    return phrase.length === 1 ? distinct.has(phrase[0]!) : includesPhrase(tokens, phrase)
  }
}

/** Cosine on the shared scale: opposite 0, unrelated 0.5, the same 1. */
export function semanticScore(cosine: number): number {
  return Math.min(1, Math.max(0, (1 + cosine) / 2))
}

/** What is assumed of a memory whose meaning is not compared: unrelated. */
export const UNKNOWN_MEANING = 0.5

/** Either kind of evidence may convince (noisy-or): never below the semantic score, and absolute, not relative to a result set. */
export function fuse(semantic: number, keyword: number): number {
  return 1 - (1 - semantic) * (1 - keyword)
}

export function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
