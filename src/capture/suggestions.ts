import { z } from 'zod'
import { DEFAULTS } from '../model/limits.ts'
import { DEFAULT_IMPORTANCE, type JsonObject } from '../model/memory.ts'
import { parseJson, whyUnsafeJson } from '../text/json.ts'
import {
  type Captured,
  explainIssues,
  extracted,
  type Finding,
  type LineScanner,
  refused,
  scanText,
} from './captured.ts'
import { detach, isVisibleText } from './excerpt.ts'
import { FenceTracker } from './fence.ts'

export interface SuggestionOptions {
  /** Characters. A longer summary is refused, not cut. Default 800. */
  maxSummaryLength?: number
}

const HEADING = '## MEMORY_SUGGESTIONS'
/** Characters of JSON in one block. */
const MAX_BLOCK_LENGTH = 262_144
/** Characters of one entry's details as JSON. */
const MAX_DETAILS_LENGTH = 8_192

const suggestionSchema = z.strictObject({
  scope: z.enum(['task', 'section', 'project']),
  event_type: z.literal('hint'),
  summary: z.string().refine(isVisibleText, 'must not be empty'),
  importance: z.int().min(0).max(100).default(DEFAULT_IMPORTANCE),
  // Tags are also read as one comma-separated column.
  tags: z
    .array(
      z
        .string()
        .trim()
        .min(1)
        .max(64)
        .regex(/^[^,\p{Cc}]+$/u, 'must not contain commas or control characters'),
    )
    .max(20)
    .default([]),
  details: z.record(z.string(), z.unknown()).default({}),
})

/** The entries of every `## MEMORY_SUGGESTIONS` block in a text. */
export function captureSuggestions(text: string, options: SuggestionOptions = {}): Captured {
  return mayHoldSuggestions(text) ? scanText(text, new SuggestionScanner(options)) : { candidates: [], refusals: [] }
}

export function mayHoldSuggestions(text: string): boolean {
  return text.includes(HEADING)
}

/**
 * Reads one text line by line, for blocks of exactly this form: the heading alone on its line, blank lines, a fence
 * with no language or `json`, one JSON array, the closing fence.
 */
export class SuggestionScanner implements LineScanner {
  readonly #maxSummaryLength: number
  readonly #fence = new FenceTracker()
  #state: 'text' | 'heading' | 'block' | 'overlong' = 'text'
  #block = ''
  #wasCode = false

  constructor(options: SuggestionOptions = {}) {
    this.#maxSummaryLength = options.maxSummaryLength ?? DEFAULTS.summaryLength
  }

  scan(line: string): Finding[] {
    const code = this.#fence.isCode(line)
    const opens = code && !this.#wasCode
    const closes = code && this.#wasCode && !this.#fence.isOpen
    this.#wasCode = this.#fence.isOpen
    if (this.#state === 'text') {
      if (!code && line.trimEnd() === HEADING) this.#state = 'heading'
      return []
    }
    if (this.#state === 'heading') return this.#afterHeading(line, opens)
    if (closes) return this.#closeBlock()
    if (this.#state === 'block') this.#append(line)
    return []
  }

  /** Ends the text. A block that is still open is refused. */
  end(): Finding[] {
    const state = this.#state
    this.#state = 'text'
    if (state === 'heading') return [refused(`${HEADING} without a fenced JSON array after it.`, '')]
    if (state === 'text') return []
    return [refused(`The ${HEADING} block is not closed.`, this.#block)]
  }

  #afterHeading(line: string, opens: boolean): Finding[] {
    if (line.trim() === '') return []
    this.#block = ''
    if (opens && /^\s*(`{3,}|~{3,})\s*(json)?\s*$/i.test(line)) {
      this.#state = 'block'
      return []
    }
    this.#state = line.trimEnd() === HEADING ? 'heading' : 'text'
    return [refused(`${HEADING} without a fenced JSON array after it.`, line)]
  }

  #append(line: string): void {
    this.#block += `${line}\n`
    if (this.#block.length > MAX_BLOCK_LENGTH) this.#state = 'overlong'
  }

  #closeBlock(): Finding[] {
    const overlong = this.#state === 'overlong'
    const block = this.#block
    this.#state = 'text'
    this.#block = ''
    if (overlong) {
      return [
        refused(`The ${HEADING} block is longer than ${MAX_BLOCK_LENGTH.toLocaleString('en')} characters.`, block),
      ]
    }
    const parsed = parseJson(block)
    if (!parsed.ok) return [refused(`The ${HEADING} block is not valid JSON.`, block)]
    if (!Array.isArray(parsed.value)) return [refused(`The ${HEADING} block is not a JSON array.`, block)]
    return parsed.value.map((entry, index) => suggestionFinding(entry, index + 1, this.#maxSummaryLength))
  }
}

function suggestionFinding(entry: unknown, number: number, maxSummaryLength: number): Finding {
  const unsafe = whyUnsafeJson(entry)
  if (unsafe !== null) return refused(`Suggestion ${number}: ${unsafe}.`, '')
  const shown = JSON.stringify(entry)
  const parsed = suggestionSchema.safeParse(entry)
  if (!parsed.success) {
    return refused(`Suggestion ${number}: ${explainIssues(parsed.error, 'entry')}.`, shown)
  }
  const { scope, event_type, summary, importance, tags, details } = parsed.data
  if (summary.length > maxSummaryLength) {
    return refused(
      `Suggestion ${number}: summary has ${summary.length} characters; at most ${maxSummaryLength}.`,
      shown,
    )
  }
  if (JSON.stringify(details).length > MAX_DETAILS_LENGTH) {
    return refused(`Suggestion ${number}: details are longer than ${MAX_DETAILS_LENGTH} characters.`, shown)
  }
  const text = { content: detach(summary.trim()), category: event_type, service: null }
  return { candidate: extracted({ ...text, tags, metadata: details as JsonObject, importance, layer: scope }) }
}
