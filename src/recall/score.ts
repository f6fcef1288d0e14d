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
function searchableTokens({ content, service, tags }: Memory): readonly string[] {
  const texts = [content, service ?? '', ...tags]
  const key = texts.join('\n')
  let tokens = recent.get(key)
  if (tokens === undefined) {
    tokens = texts.flatMap((text) => [...tokenize(text), ''])
    if (recent.size >= MOST_RECENT) recent.clear()
    recent.set(key, tokens)
  }
  return tokens
}

/** Tokens of memories scored lately: the same candidates come again and again, and tokenizing them costs more than the rest. */
const recent = new Map<string, readonly string[]>()
const MOST_RECENT = 5000

export interface KeywordEvidence {
  /** 0 to 1, absolute: the share of the query's information that the memory holds, discounted where that is little. */
  score: number
  terms: { term: string; weight: number }[]
}

export function keywordEvidence(memory: Memory, terms: readonly WeighedTerm[]): KeywordEvidence {
  const tokens = searchableTokens(memory)
  const total = terms.reduce((sum, term) => sum + term.weight, 0)
  const held = terms.filter((term) => includesPhrase(tokens, term.tokens))
  const mass = held.reduce((sum, term) => sum + term.weight, 0)
  if (mass === 0) return { score: 0, terms: [] }
  return {
    score: MOST_KEYWORD * (mass / total) * (1 - Math.exp(-mass / STRONG_EVIDENCE)),
    terms: held.map((term) => ({ term: term.text, weight: round(term.weight / total) })),
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
