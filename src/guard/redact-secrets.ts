import { leadOf, namedValues } from './named-value.ts'
import { withoutLineBreaks, withoutMarkup } from './plain-text.ts'
import { findKeywords, hasLongRun } from './secret-prefilter.ts'
import type { SecretRule } from './secret-rule.ts'
import { SECRET_RULES } from './secret-rules.ts'
import { TOKEN_RULES } from './secret-token-rules.ts'
import { shannonEntropy } from './secret-value.ts'

/** How often each rule matched. Never what it matched. */
export interface Redaction {
  rule: string
  count: number
}

const TOKEN_IDS: ReadonlySet<string> = new Set(TOKEN_RULES.map(({ id }) => id))

interface Span {
  start: number
  end: number
  rule: string
}

/** Only our own rules make a marker, so that nobody hides a secret by writing `[REDACTED:` before it. */
const MARKER = new RegExp(`\\[REDACTED:(?:${SECRET_RULES.map((rule) => rule.id).join('|')})\\]`, 'g')
/** Removing one secret can reveal another; two rounds settle all known texts, the rest is margin. */
const MOST_ROUNDS = 8
/** How much text before and after its match a rule sees. */
const CONTEXT_LENGTH = 96
/** A rejected value may itself contain the start of a secret; longer values are skipped, to stay linear. */
const REREAD_LENGTH = 64

/** Replaces every secret by `[REDACTED:<rule>]`. Linear in the length of the text, and idempotent. */
export function redactSecrets(text: string): { text: string; found: Redaction[] } {
  const counts = new Map<string, number>()
  let current = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const spans = findAll(current)
    if (spans.length === 0) break
    for (const span of spans) counts.set(span.rule, (counts.get(span.rule) ?? 0) + 1)
    current = replaceSpans(current, spans)
  }
  return { text: current, found: [...counts].map(([rule, count]) => ({ rule, count })) }
}

/**
 * As written and as rendered, so that neither markup inside a secret or before its value, nor a name next to its
 * value, nor a line break inside a token hides anything.
 */
function findAll(text: string): Span[] {
  const spans = findSecrets(text)
  const plain = withoutMarkup(text)
  const more = [
    ...(plain === null ? [] : findSecrets(plain.text).map((span) => inOriginal(span, plain))),
    ...findNamed(text),
    ...findBroken(text, spans),
  ]
  return more.length === 0 ? spans : withoutOverlaps([...spans, ...more], text)
}

function inOriginal({ start, end, rule }: Span, { places }: { places: number[] }): Span {
  return { start: places[start]!, end: places[end - 1]! + 1, rule }
}

/** A value is a secret if it would be one after its name and `=`. */
function findNamed(text: string): Span[] {
  return namedValues(text).flatMap(({ name, value, start }) => {
    const lead = leadOf(name)
    const found = findSecrets(lead + value).find((span) => span.start >= lead.length)
    return found === undefined ? [] : [{ start, end: start + value.length, rule: found.rule }]
  })
}

const LINE_BREAK = /[\n\r\v\f\x85\u2028\u2029]/

/**
 * Tokens in a published format that a line break splits. Other values arise too easily from the end and the start of two lines, and
 * so does a token that is complete before the break.
 */
function findBroken(text: string, spans: readonly Span[]): Span[] {
  if (!LINE_BREAK.test(text)) return []
  const joined = withoutLineBreaks(text)
  if (joined === null) return []
  const isToken = ({ rule }: Span) => TOKEN_IDS.has(rule)
  const whole = spans.filter(isToken)
  return findSecrets(joined.text)
    .filter(isToken)
    .map((span) => inOriginal(span, joined))
    .filter(({ start, end }) => LINE_BREAK.test(text.slice(start, end)))
    .filter(({ start }) => !whole.some((span) => span.start === start))
}

function findSecrets(text: string): Span[] {
  const present = findKeywords(text)
  const long = hasLongRun(text)
  const spans: Span[] = []
  for (const [index, rule] of SECRET_RULES.entries()) {
    if (rule.keywords === '' ? long : present[index] === 1) collectSpans(text, rule, spans)
  }
  return spans.length === 0 ? spans : withoutOverlaps(spans, text)
}

function collectSpans(text: string, rule: SecretRule, into: Span[]): void {
  const { pattern } = rule
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const groups = match.slice(1)
    const found = groups.length === 0 ? match[0] : (groups.findLast((part) => part !== undefined) ?? '')
    const start = match.index + match[0].lastIndexOf(found)
    const secret = groups.length === 0 ? found : withoutClosers(found)
    const before = text.slice(Math.max(0, match.index - CONTEXT_LENGTH), match.index)
    const lead = match[0].slice(0, start - match.index)
    const after = text.slice(start + secret.length, start + secret.length + CONTEXT_LENGTH)
    if (isSecret(rule, secret, before, lead, after)) into.push({ start, end: start + secret.length, rule: rule.id })
    else if (start > match.index && secret.length <= REREAD_LENGTH) pattern.lastIndex = start
  }
}

const CLOSERS: Record<string, string> = { ')': '(', ']': '[', '}': '{', '>': '<' }

/** Without a full stop, quote or bracket that belongs to the sentence and not to the secret. */
function withoutClosers(secret: string): string {
  let end = secret.length
  for (; end > 0; end--) {
    const last = secret.charAt(end - 1)
    const opener = CLOSERS[last]
    if (opener === undefined ? !/["'`.,:;]/.test(last) : secret.slice(0, end).includes(opener)) break
  }
  return secret.slice(0, end)
}

function isSecret(rule: SecretRule, secret: string, before: string, lead: string, after: string): boolean {
  if (secret === '') return false
  if (rule.entropy !== undefined && shannonEntropy(secret) < rule.entropy) return false
  return rule.accept === undefined || rule.accept(secret, before, lead, after)
}

/** Spans in order. Of two that overlap, the first found wins: rules are sorted from specific to general. */
function withoutOverlaps(spans: Span[], text: string): Span[] {
  const taken: Span[] = []
  for (const match of text.matchAll(MARKER)) {
    taken.push({ start: match.index, end: match.index + match[0].length, rule: '' })
  }
  const byStart = (a: Span, b: Span): number => a.start - b.start
  const ranked = spans.map((span, rank) => ({ span, rank })).sort((a, b) => byStart(a.span, b.span) || a.rank - b.rank)
  const kept: Span[] = []
  let marker = 0
  for (const { span } of ranked) {
    const last = kept.at(-1)
    if (last !== undefined && span.start < last.end) {
      last.end = Math.max(last.end, span.end)
      continue
    }
    while (marker < taken.length && taken[marker]!.end <= span.start) marker++
    const blocked = taken[marker]
    if (blocked === undefined || blocked.start >= span.end) kept.push({ ...span })
  }
  return kept
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  const parts: string[] = []
  let position = 0
  for (const span of spans) {
    parts.push(text.slice(position, span.start), `[REDACTED:${span.rule}]`)
    position = span.end
  }
  return parts.join('') + text.slice(position)
}
