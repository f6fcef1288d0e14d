import type { Candidate } from '../model/candidate.ts'
import { LIMITS } from '../model/limits.ts'
import type { JsonObject, JsonValue } from '../model/memory.ts'
import { cleanText } from './clean-text.ts'
import { detectPoison, type PoisonVerdict } from './detect-poison.ts'
import { LABEL, leadOf } from './named-value.ts'
import type { Redaction } from './redact-secrets.ts'

/** The confidence of flagged text: below the default, and above the threshold for inactive memories. */
export const FLAGGED_CONFIDENCE = 0.5

export interface GuardOptions {
  /** The maximum length of stored content, in UTF-16 units, counted after cleaning. */
  maxLength: number
}

export interface GuardedText extends PoisonVerdict {
  content: string
  redactions: Redaction[]
}

export interface GuardedCandidate extends PoisonVerdict {
  candidate: Candidate
  redactions: Redaction[]
}

/** A reason that is safe to show and log: it contains nothing of the text. */
export interface GuardRefusal {
  refused: string
}

const MAX_DEPTH = LIMITS.metadataDepth
const MAX_TAG_LENGTH = 200
const MAX_METADATA_VALUES = 10_000
/** Assigned to a plain object, these change the object's behaviour instead of its content. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Everything that is stored passes here first. Cleaning comes before the search for secrets, so that a secret with a
 * zero-width space in it is found, and the length is checked on the result.
 */
export function guardText(text: string, options: GuardOptions): GuardedText | GuardRefusal {
  const { text: content, found } = cleanText(text)
  if (content === '') return { refused: 'empty: nothing visible is left' }
  if (content.length > options.maxLength) {
    return { refused: `too long: ${content.length} characters, at most ${options.maxLength}` }
  }
  return { content, redactions: found, ...detectPoison(content) }
}

/**
 * The same for a whole candidate: content, service, tags, anchor, declarations, and every key and string of the
 * metadata. Agents are not shown metadata, so it can flag a candidate but not quarantine it. The given candidate is not
 * changed.
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
    return { candidate: guarded, redactions: report.redactions(), ...report.verdict() }
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message }
    throw error
  }
}

/** Stops the traversal of a candidate. Never leaves this file. */
class Refused extends Error {}

/** Cleans strings and collects what was found in them. */
class Report {
  readonly #counts = new Map<string, number>()
  readonly #flags = new Map<string, string>()
  #quarantine = false
  #values = 0

  content(text: string, options: GuardOptions): string {
    const result = guardText(text, options)
    if ('refused' in result) throw new Refused(result.refused)
    this.#count(result.redactions)
    this.#judge(result)
    return result.content
  }

  clean(text: string): string {
    const { text: cleaned, found } = cleanText(text)
    this.#count(found)
    this.#judge(detectPoison(cleaned))
    return cleaned
  }

  /**
   * A value is judged with the names that lead to it: harmless alone, it may be a password. The nearest name that makes it a
   * secret counts; `[name, ...]` are from the inside out.
   */
  named(value: string | number, names: readonly string[]): JsonValue {
    const text = String(value)
    for (const name of names) {
      const lead = leadOf(name)
      const { text: redacted, found } = cleanText(lead + text)
      if (found.length === 0 || !redacted.startsWith(lead)) continue
      this.#count(found)
      return this.data(redacted.slice(lead.length))
    }
    return typeof value === 'number' ? value : this.data(text)
  }

  /** Data keeps its line breaks and spaces, because it is never shown as a line. Hidden characters and secrets are still removed. */
  data(text: string): string {
    const before = this.#quarantine
    const cleaned = this.clean(text)
    this.#quarantine = before
    return withoutSpaces(cleaned) === withoutSpaces(text) ? text : cleaned
  }

  label(text: string): string {
    const cleaned = this.clean(text)
    if (cleaned.length > MAX_TAG_LENGTH) throw new Refused(`too long: a tag or service of ${cleaned.length} characters`)
    return cleaned
  }

  object(source: JsonObject, depth: number, names: readonly string[] = []): JsonObject {
    if (depth > MAX_DEPTH) throw new Refused(`metadata is nested deeper than ${MAX_DEPTH} levels`)
    const target: JsonObject = {}
    // `{name: 'DB_PASSWORD', value: ...}`: one key's value names what the others contain.
    const labels = Object.entries(source).flatMap(([key, value]) => (LABEL.test(key) ? labelOf(value) : []))
    for (const [key, value] of Object.entries(source)) {
      const name = this.data(key)
      if (PROTOTYPE_KEYS.has(name)) throw new Refused('metadata has a key that is not allowed')
      if (Object.hasOwn(target, name)) throw new Refused('metadata has two keys that are the same once cleaned')
      target[name] = this.value(value, depth, LABEL.test(key) ? [name, ...names] : [name, ...labels, ...names])
    }
    return target
  }

  value(value: JsonValue, depth: number, names: readonly string[]): JsonValue {
    if (++this.#values > MAX_METADATA_VALUES) throw new Refused(`metadata has more than ${MAX_METADATA_VALUES} values`)
    if (typeof value === 'string' || typeof value === 'number') return this.named(value, names)
    if (Array.isArray(value)) {
      if (depth >= MAX_DEPTH) throw new Refused(`metadata is nested deeper than ${MAX_DEPTH} levels`)
      // `['DB_PASSWORD', ...]`: the first of two names the second.
      const label = value.length === 2 ? labelOf(value[0]!) : []
      return value.map((item, i) => this.value(item, depth + 1, i === 1 ? [...label, ...names] : names))
    }
    return typeof value === 'object' && value !== null ? this.object(value, depth + 1, names) : value
  }

  redactions(): Redaction[] {
    return [...this.#counts].map(([rule, count]) => ({ rule, count }))
  }

  verdict(): PoisonVerdict {
    return { flags: [...this.#flags.keys()], quarantine: this.#quarantine, reasons: [...this.#flags.values()] }
  }

  #judge({ flags, quarantine, reasons }: PoisonVerdict): void {
    for (const [index, flag] of flags.entries()) this.#flags.set(flag, reasons[index]!)
    this.#quarantine ||= quarantine
  }

  #count(found: readonly Redaction[]): void {
    for (const { rule, count } of found) this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + count)
  }
}

function labelOf(value: JsonValue): string[] {
  return typeof value === 'string' && value.length <= 64 ? [value] : []
}

function withoutSpaces(text: string): string {
  return text.replace(/[\t\n\r ]+/g, '')
}
