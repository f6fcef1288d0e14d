import { stemmer } from 'stemmer'
import { ENVIRONMENTS, KINDS } from './kinds.ts'
import { AXES, LIGHT_WORDS, NEGATORS, PREDICATES, STOP_WORDS, SYNONYMS } from './lexicon.ts'

/** What a word does in a sentence. Predicates and axes carry a sign, things are values of a kind. */
export type Role = 'stop' | 'light' | 'plain' | 'predicate' | 'axis' | 'environment' | 'negator' | 'thing'

export interface Meaning {
  /** The lexicon entry's name, or the stem of a word that has none. */
  concept: string
  /** -1 for the opposite of the concept. */
  sign: 1 | -1
  role: Role
  /** The kind of a thing (`store`, `weekday`). */
  kind: string | null
}

/** The most words that one entry of the lexicon has. */
export const MAX_PHRASE = 4

const exact = new Map<string, Meaning>()
const stemmed = new Map<string, Meaning>()

function stems(phrase: string): string {
  return phrase
    .split(' ')
    .map((word) => stemmer(word))
    .join(' ')
}

function learn(words: string, meaning: Meaning): void {
  for (const word of words.split(',').map((part) => part.trim().replace(/\s+/g, ' '))) {
    if (word === '') continue
    if (!exact.has(word)) exact.set(word, meaning)
    if (!stemmed.has(stems(word))) stemmed.set(stems(word), meaning)
  }
}

function learnSigned(entries: Readonly<Record<string, string>>, role: Role): void {
  for (const [concept, words] of Object.entries(entries)) {
    const [positive = '', negative = ''] = words.split('|')
    learn(positive, { concept, sign: 1, role, kind: null })
    learn(negative, { concept, sign: -1, role, kind: null })
  }
}

for (const word of NEGATORS.split(/\s+/)) exact.set(word, { concept: 'not', sign: -1, role: 'negator', kind: null })
for (const word of STOP_WORDS.trim().split(/\s+/)) exact.set(word, { concept: word, sign: 1, role: 'stop', kind: null })
learnSigned(ENVIRONMENTS, 'environment')
for (const [kind, values] of Object.entries(KINDS)) {
  for (const value of values.split(',')) {
    const names = value.split('=').map((name) => name.trim().replace(/\s+/g, ' '))
    learn(names.join(','), { concept: names[0] ?? '', sign: 1, role: 'thing', kind })
  }
}
learnSigned(PREDICATES, 'predicate')
learnSigned(AXES, 'axis')
learnSigned(SYNONYMS, 'plain')
for (const word of LIGHT_WORDS.trim().split(/\s+/))
  learn(word, { concept: stemmer(word), sign: 1, role: 'light', kind: null })

/**
 * The lexicon's entry for a word or phrase in lower case: as it is written first, then without a last `s` or `d`, then
 * by stem.
 */
export function lookUp(phrase: string): Meaning | null {
  const found = exact.get(phrase) ?? exact.get(phrase.replace(/[sd]$/, '')) ?? stemmed.get(stems(phrase))
  if (found !== undefined) return found
  // Who or what does it: `checker` is about checking.
  const doer = /^(\w{4,})ers?$/.exec(phrase)?.[1]
  const deed = doer === undefined ? undefined : exact.get(doer)
  return deed?.role === 'plain' ? deed : null
}
