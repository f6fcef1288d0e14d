import type { Candidate } from '../model/candidate.ts'
import { LIMITS } from '../model/limits.ts'
import type { JsonObject, JsonValue } from '../model/memory.ts'
import { detectInstruction } from './detect-instruction.ts'
import { type Redaction, redactSecrets } from './redact-secrets.ts'
import { sanitizeText } from './sanitize.ts'

/** The confidence of a flagged memory: below the default, but high enough to stay active. */
export const FLAGGED_CONFIDENCE = 0.5

export interface GuardOptions {
  /** The longest content that is stored, in UTF-16 units, counted after cleaning. */
  maxLength: number
}

export interface GuardedText {
  content: string
  redactions: Redaction[]
  /** Why it reads as a command to its reader; empty when it does not. */
  flags: string[]
}

export interface GuardedCandidate {
  candidate: Candidate
  redactions: Redaction[]
  flags: string[]
}

/** The reason can be shown and logged: it repeats nothing of the text. */
export interface GuardRefusal {
  refused: string
}

const MAX_DEPTH = LIMITS.metadataDepth
const MAX_TAG_LENGTH = 200
const MAX_METADATA_VALUES = 10_000
/** Keys that change the behaviour of a plain object when they are assigned. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Everything passes here before it is stored. Cleaning comes before the search for secrets, so that a secret with a zero-width
 * space in it is found. The length is checked last, on the text that would be stored.
 */
export function guardText(text: string, options: GuardOptions): GuardedText | GuardRefusal {
  const { text: content, found } = redactSecrets(sanitizeText(text))
  if (content === '') return { refused: 'empty: nothing visible is left' }
  if (content.length > options.maxLength) {
    return { refused: `too long: ${content.length} characters, at most ${options.maxLength}` }
  }
  return { content, redactions: found, flags: detectInstruction(content).reasons }
}

/**
 * The same for a whole candidate: content, service, tags, anchor, declared relation, and every key and string of the metadata.
 * Returns a new candidate.
 */
export function guardCandidate(candidate: Candidate, options: GuardOptions): GuardedCandidate | GuardRefusal {
  const report = new Report()
  try {
    const guarded: Candidate = {
      ...candidate,
      content: report.content(candidate.content, options),
      service: candidate.service === null ? null : report.label(candidate.service) || null,
      tags: [...new Set(candidate.tags.map((tag) => report.label(tag)).filter((tag) => tag !== ''))],
      anchor: candidate.anchor === null ? null : report.clean(candidate.anchor) || null,
      metadata: report.object(candidate.metadata, 1),
    }
    if (candidate.declares !== undefined) {
      guarded.declares = { ...candidate.declares, text: report.content(candidate.declares.text, options) }
    }
    return { candidate: guarded, redactions: report.redactions(), flags: report.flags() }
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message }
    throw error
  }
}

/** Ends the walk through a candidate. Not thrown out of this file. */
class Refused extends Error {}

/** Cleans strings and counts what was found in them. */
class Report {
  readonly #counts = new Map<string, number>()
  readonly #flags = new Set<string>()
  #values = 0

  content(text: string, options: GuardOptions): string {
    const result = guardText(text, options)
    if ('refused' in result) throw new Refused(result.refused)
    this.#count(result.redactions)
    for (const flag of result.flags) this.#flags.add(flag)
    return result.content
  }

  clean(text: string): string {
    const { text: cleaned, found } = redactSecrets(sanitizeText(text))
    this.#count(found)
    for (const reason of detectInstruction(cleaned).reasons) this.#flags.add(reason)
    return cleaned
  }

  /** Cleans data. It keeps its line breaks and spaces, because it is never shown as one line. */
  data(text: string): string {
    const cleaned = this.clean(text)
    return withoutSpaces(cleaned) === withoutSpaces(text) ? text : cleaned
  }

  label(text: string): string {
    const cleaned = this.clean(text)
    if (cleaned.length > MAX_TAG_LENGTH) throw new Refused(`too long: a tag or service of ${cleaned.length} characters`)
    return cleaned
  }

  object(source: JsonObject, depth: number): JsonObject {
    if (depth > MAX_DEPTH) throw new Refused(`metadata is nested deeper than ${MAX_DEPTH} levels`)
    const target: JsonObject = {}
    for (const [key, value] of Object.entries(source)) {
      const name = this.data(key)
      if (PROTOTYPE_KEYS.has(name)) throw new Refused('metadata has a key that is not allowed')
      if (Object.hasOwn(target, name)) throw new Refused('metadata has two keys that are the same once cleaned')
      target[name] = this.value(value, depth)
    }
    return target
  }

  value(value: JsonValue, depth: number): JsonValue {
    if (++this.#values > MAX_METADATA_VALUES) throw new Refused(`metadata has more than ${MAX_METADATA_VALUES} values`)
    if (typeof value === 'string') return this.data(value)
    if (Array.isArray(value)) {
      if (depth >= MAX_DEPTH) throw new Refused(`metadata is nested deeper than ${MAX_DEPTH} levels`)
      return value.map((item) => this.value(item, depth + 1))
    }
    return typeof value === 'object' && value !== null ? this.object(value, depth + 1) : value
  }

  redactions(): Redaction[] {
    return [...this.#counts].map(([rule, count]) => ({ rule, count }))
  }

  flags(): string[] {
    return [...this.#flags]
  }

  #count(found: readonly Redaction[]): void {
    for (const { rule, count } of found) this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + count)
  }
}

function withoutSpaces(text: string): string {
  return text.replace(/[\t\n\r ]+/g, '')
}
