import { z } from 'zod'
import { DEFAULT_IMPORTANCE, OPERATIONAL_CATEGORIES } from '../model/memory.ts'
import { isRecord, whyUnsafeJson } from '../text/json.ts'
import { type Captured, type Finding, MAX_OBSERVATION_LENGTH, sortFindings } from './captured.ts'
import { takeDeclaration } from './declared-relation.ts'
import { detach, isVisibleText, refuse } from './excerpt.ts'
import { findJson } from './find-json.ts'

/** The most learnings of one extraction. */
const MAX_LEARNINGS = 5
/** Characters of an extraction's whole output. */
const MAX_OUTPUT_LENGTH = 1_048_576

const contentSchema = z.string().max(MAX_OBSERVATION_LENGTH).refine(isVisibleText, 'must not be empty')
/** Other keys are ignored: models often add a confidence or a reason. */
const learningSchema = z.object({
  content: contentSchema,
  category: z.enum([...OPERATIONAL_CATEGORIES, 'learning']).nullish(),
  service: z
    .string()
    .regex(/^[a-zA-Z0-9_-]+$/, 'must be letters, digits, - and _')
    .nullish(),
})
const entrySchema = z.union([contentSchema.transform((content) => ({ content })), learningSchema])

/**
 * Reads what an extraction call returned: a JSON array of strings or of `{content, category?, service?}`, plain, fenced,
 * in prose, under a `learnings` key, or inside the result of `claude --output-format json`. An empty array is a
 * valid answer. Never throws: what cannot be used is refused with a reason.
 */
export function captureLearnings(text: string): Captured {
  if (text.trim() === '') return refusedAll('The extraction returned nothing.', text)
  if (text.length > MAX_OUTPUT_LENGTH) return refusedAll('The extraction returned more than 1 MiB.', text)
  const answer = readAnswer(text)
  if ('reason' in answer) return refusedAll(answer.reason, text)
  const known = new Set<string>()
  return sortFindings(answer.entries.map((entry, index) => learningFinding(entry, index, known)))
}

type Answer = { entries: unknown[] } | { reason: string }

const UNUSABLE: Answer = { reason: 'The extraction returned no JSON array of learnings.' }

function readAnswer(text: string): Answer {
  for (const value of findJson(text)) {
    const result = resultOf(value)
    if (result !== null) {
      // Later results of a stream replace earlier ones, but an extraction has a single turn.
      return readResult(result)
    }
    const entries = entriesOf(value)
    if (entries !== null) return { entries }
  }
  return UNUSABLE
}

/** The result event, alone or as the last of all events. */
function resultOf(value: unknown): Record<string, unknown> | null {
  const found = Array.isArray(value) ? value.findLast((each) => isRecord(each) && each.type === 'result') : value
  return isRecord(found) && found.type === 'result' ? found : null
}

function readResult(result: Record<string, unknown>): Answer {
  if (result.is_error === true) return { reason: `The extraction call failed: ${result.result ?? result.subtype}.` }
  const entries = entriesOf(result.structured_output)
  if (entries !== null) return { entries }
  if (typeof result.result !== 'string') return UNUSABLE
  for (const value of findJson(result.result)) {
    const found = entriesOf(value)
    if (found !== null) return { entries: found }
  }
  return UNUSABLE
}

function entriesOf(value: unknown): unknown[] | null {
  const list = isRecord(value) ? (value.learnings ?? value.memories) : value
  if (!Array.isArray(list)) return null
  // Numbers are references in prose, such as [1].
  return list.length === 0 || list.some((entry) => typeof entry === 'string' || isRecord(entry)) ? list : null
}

function learningFinding(entry: unknown, index: number, known: Set<string>): Finding {
  const unsafe = whyUnsafeJson(entry)
  if (unsafe !== null) return refused(`Learning ${index}: ${unsafe}.`, '')
  const shown = typeof entry === 'string' ? entry : JSON.stringify(entry)
  if (index >= MAX_LEARNINGS) return refused(`Learning ${index}: more than ${MAX_LEARNINGS} in one extraction.`, shown)
  const parsed = entrySchema.safeParse(entry)
  if (!parsed.success) return refused(`Learning ${index}: ${whyInvalid(entry)}.`, shown)
  const { category, service } = { category: null, service: null, ...parsed.data }
  const { content, declares, quotes } = takeDeclaration(detach(parsed.data.content))
  if (!isVisibleText(content)) return refused(`Learning ${index}: says only what was believed before.`, shown)
  if (known.has(content)) return refused(`Learning ${index}: repeats an earlier one.`, shown)
  known.add(content)
  return {
    candidate: {
      content,
      category: category ?? 'learning',
      service: service ?? null,
      source: 'extraction',
      tags: [],
      metadata: { ...quotes },
      anchor: null,
      importance: DEFAULT_IMPORTANCE,
      ...(declares === undefined ? {} : { declares }),
    },
  }
}

/** The message of a union names no field, so the message of the intended member is used. */
function whyInvalid(entry: unknown): string {
  const { error } = (isRecord(entry) ? learningSchema : contentSchema).safeParse(entry)
  const issues = error?.issues ?? []
  return issues.map((issue) => `${issue.path.join('.') || 'content'}: ${issue.message}`).join('; ')
}

function refused(reason: string, text: string): Finding {
  return { refusal: refuse(reason, text) }
}

function refusedAll(reason: string, text: string): Captured {
  return { candidates: [], refusals: [refuse(reason, text)] }
}
