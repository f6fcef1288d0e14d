import type { Memory } from '../model/memory.ts'
import { includesPhrase, tokenize } from '../text/tokens.ts'
import { RANKING, type Ranking } from './ranking.ts'
import type { Term } from './terms.ts'

export interface WeighedTerm extends Term {
  /** How much finding this term tells: its information in the scopes, in nats. */
  weight: number
}

/** Keeps rarity meaningful while the store is still small. */
const PRIOR_DOCUMENTS = 50

/** Weighs terms by rarity. */
export function weighTerms(
  terms: readonly Term[],
  frequencies: readonly number[],
  documents: number,
  { unseen }: Pick<Ranking, 'unseen'> = RANKING,
): WeighedTerm[] {
  return terms.map((term, i) => {
    const frequency = frequencies[i] ?? 0
    const information = Math.max(0.1, Math.log((documents + PRIOR_DOCUMENTS) / (frequency + 0.5)))
    return { ...term, weight: frequency === 0 ? information * unseen : information }
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

/** Words in a memory, its service and tags included. */
export function countWords(memory: Memory): number {
  return searchable(memory).tokens.length
}

/** Which terms of one query memories hold, and what that tells. */
export class KeywordScorer {
  readonly terms: readonly WeighedTerm[]
  /** The bit of each term's first token. */
  readonly #bits: readonly number[]
  /** All that the query asks for. */
  readonly #total: number
  readonly #ranking: Ranking

  /** `more`: information that the query asks for besides its terms. */
  constructor(terms: readonly WeighedTerm[], more = 0, ranking: Ranking = RANKING) {
    this.terms = terms
    this.#bits = terms.map(({ tokens }) => bitOf(tokens[0]!))
    this.#total = terms.reduce((sum, { weight }) => sum + weight, 0) + more
    this.#ranking = ranking
  }

  /** The terms that the memory holds, a bit for each. */
  held(memory: Memory): number {
    if (this.terms.length === 0) return 0
    const text = searchable(memory)
    let held = 0
    for (let i = 0; i < this.#bits.length; i++) {
      if ((text.bits & this.#bits[i]!) !== 0 && this.#holds(text, i)) held |= 1 << i
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

  /** 0 to 1 each, absolute: what so much information is worth as a part of an answer, and as a whole one. */
  worth(information: number): Words {
    if (information <= 0) return { part: 0, whole: 0 }
    const { part, whole, wholeness } = this.#ranking
    const strength = this.#strengthOf(information)
    const share = this.shareOf(information)
    return { part: part * share * strength, whole: whole * share ** wholeness * strength }
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

/** Cosine on the shared scale: opposite 0, unrelated 0.5, the same 1. */
export function semanticScore(cosine: number): number {
  return Math.min(1, Math.max(0, (1 + cosine) / 2))
}

/** What words are worth: see {@link KeywordScorer.worth}. */
export interface Words {
  part: number
  whole: number
}

/** Where answers part from noise, on the scale of every mode. */
const ANSWER = 0.7

/**
 * Adds words to meaning: never below the semantic score, and absolute, not relative to a result set. Words that answer a part of
 * the question order what is found, but lift nothing over the line that its meaning does not reach; words that answer all of it
 * convince by themselves (noisy-or).
 */
export function fuse(semantic: number, { part, whole }: Words): number {
  const lift = (1 - semantic) * part
  const room = ANSWER - semantic
  const lifted = room > 0 ? semantic + room * (1 - Math.exp(-lift / room)) : semantic + lift
  return 1 - (1 - lifted) * (1 - whole)
}

/** Of a line of a thread all that speaks for it is added up; past the line each further piece tells less. */
export function addUp(cosine: number, words: number): number {
  const sum = (1 + cosine) / 2 + words
  if (sum <= ANSWER) return Math.max(0, sum)
  return ANSWER + (1 - ANSWER) * (1 - Math.exp(-(sum - ANSWER) / (1 - ANSWER)))
}

/** The same where there is no meaning to compare: two thirds of a question are an answer. */
export function wordsAlone({ part, whole }: Words): number {
  return 1 - (1 - WORDS_ALONE * part) * (1 - whole)
}

const WORDS_ALONE = 1.8

export function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
