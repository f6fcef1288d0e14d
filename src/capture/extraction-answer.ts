import { isRecord } from '../text/json.ts'
import { findJson } from './find-json.ts'

/** What an extraction call returned: new learnings, and which of the shown memories still hold. */
export interface ExtractionAnswer {
  learnings: unknown[]
  confirmed: unknown[]
}

const UNUSABLE = { reason: 'The extraction returned no JSON array of learnings.' }

/** Finds the answer in a text: plain, fenced, in prose, or inside the result of `claude --output-format json`. */
export function readExtraction(text: string): ExtractionAnswer | { reason: string } {
  for (const value of findJson(text)) {
    const result = resultOf(value)
    // Later results of a stream replace earlier ones, but an extraction has a single turn.
    if (result !== null) return readResult(result)
    const answer = answerOf(value)
    if (answer !== null) return answer
  }
  return UNUSABLE
}

/** The result event, alone or as the last of several events. */
function resultOf(value: unknown): Record<string, unknown> | null {
  const found = Array.isArray(value) ? value.findLast((each) => isRecord(each) && each.type === 'result') : value
  return isRecord(found) && found.type === 'result' ? found : null
}

function readResult(result: Record<string, unknown>): ExtractionAnswer | { reason: string } {
  if (result.is_error === true) return { reason: `The extraction call failed: ${result.result ?? result.subtype}.` }
  const answer = answerOf(result.structured_output)
  if (answer !== null) return answer
  if (typeof result.result !== 'string') return UNUSABLE
  for (const value of findJson(result.result)) {
    const found = answerOf(value)
    if (found !== null) return found
  }
  return UNUSABLE
}

function answerOf(value: unknown): ExtractionAnswer | null {
  const confirmed = isRecord(value) && Array.isArray(value.confirmed) ? value.confirmed : []
  const list = isRecord(value) ? (value.learnings ?? value.memories ?? (confirmed.length > 0 ? [] : null)) : value
  if (!Array.isArray(list)) return null
  // Numbers are references in prose, such as [1].
  const usable = list.length === 0 || list.some((entry) => typeof entry === 'string' || isRecord(entry))
  return usable ? { learnings: list, confirmed } : null
}
