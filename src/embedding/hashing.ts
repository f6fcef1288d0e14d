import { stemmer } from 'stemmer'
import { wrongSetting } from '../model/errors.ts'
import { normalize } from '../vector/normalize.ts'
import type { EmbeddingProvider } from './provider.ts'

export interface HashingEmbeddingOptions {
  /** Fewer dimensions make unrelated texts similar by accident. Default 384. */
  dimensions?: number
}

const WORD_WEIGHT = 1
const STEM_WEIGHT = 1
/** Shared by all trigrams of a word, so that a long word does not outweigh the others. */
const TRIGRAM_WEIGHT = 0.8
/** Function words say little about a text's subject, and would make all English sentences similar. */
const STOP_WORD_WEIGHT = 0.1
const STOP_WORDS = new Set(
  (
    'a about after all also an and any are as at be because been before but by can could did do does for from had has ' +
    'have he her his how i if in into is it its just may me more most must my no not of on one only or our out over ' +
    'she should so some such than that the their them then there these they this to under up was we were what when ' +
    'where which while who why will with would you your'
  ).split(' '),
)

/**
 * Vectors from signed feature hashing of words, stems and character trigrams: texts that share words are close, others
 * nearly orthogonal. It knows no meaning, needs no model, and gives the same vectors on every machine and in every
 * release (a change to the features needs a new name).
 */
export function hashingEmbedding({ dimensions = 384 }: HashingEmbeddingOptions = {}): EmbeddingProvider {
  if (!Number.isInteger(dimensions) || dimensions < 16 || dimensions > 4096) {
    throw wrongSetting('embedding.dimensions', 'embedding.dimensions must be a whole number from 16 to 4096')
  }
  return {
    name: `hashing:v1-${dimensions}`,
    dimensions,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted()
      return texts.map((text) => hashText(text, dimensions))
    },
  }
}

function hashText(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  const add = (feature: string, weight: number) => {
    const hash = hash32(feature)
    vector[(hash & 0x7fffffff) % dimensions]! += hash < 0 ? -weight : weight
  }
  for (const [word, count] of countWords(text)) {
    // Only operations that IEEE 754 defines exactly: a logarithm may differ between machines.
    const weight = Math.sqrt(count) * (STOP_WORDS.has(word) ? STOP_WORD_WEIGHT : 1)
    add(`w:${word}`, weight * WORD_WEIGHT)
    add(`s:${stemmer(word)}`, weight * STEM_WEIGHT)
    const characters = [...` ${word} `]
    const trigrams = Math.max(1, characters.length - 2)
    for (let i = 0; i < trigrams; i++) {
      add(`t:${characters.slice(i, i + 3).join('')}`, (weight * TRIGRAM_WEIGHT) / Math.sqrt(trigrams))
    }
  }
  return normalize(vector)
}

function countWords(text: string): Map<string, number> {
  const plain = text.normalize('NFKC').toLowerCase()
  const counts = new Map<string, number>()
  for (const [word] of plain.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1)
  // Symbols alone (an emoji, `=>`) must still be found.
  const symbols = plain.trim()
  if (counts.size === 0 && symbols !== '') counts.set(symbols, 1)
  return counts
}

/** FNV-1a over UTF-16 code units with murmur3's finalizer, which spreads short inputs over all bits. */
function hash32(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
