import type { CallToolResult } from '@modelcontextprotocol/server'
import { sanitizeText } from '../guard/sanitize.ts'
import { type ErrorCode, MemoryError } from '../model/errors.ts'

/** What a model can do about an error. */
const ADVICE: Record<ErrorCode, string> = {
  INVALID_INPUT: 'Correct it and call again.',
  INVALID_LAYER: 'Use agent for yourself or project for everybody who works on it.',
  MISSING_IDENTIFIER:
    'Ask the user to set it in the configuration of this server: nokosu mcp --project NAME, or ?project=NAME in its URL.',
  CONTENT_TOO_LONG: 'A memory is one observation: shorten it, or add several.',
  QUERY_TOO_LONG: 'Ask with fewer words.',
  CONFIGURATION_ERROR: "Ask the user to run 'nokosu doctor'.",
  MISSING_DEPENDENCY: "Ask the user to run 'nokosu doctor'.",
  MEMORY_NOT_FOUND: 'Find the id with memory_search or memory_list. Memories of other projects cannot be reached.',
  CONFLICT: 'Read it again with memory_get, then decide again.',
  UNAUTHORIZED: 'This client may not do that. Do not try again.',
  UNSUPPORTED: 'This store cannot do that. Do not try again.',
  RATE_LIMITED: 'Wait a moment, then try once more.',
  EMBEDDING_FAILED: 'Try once more. If it fails again, go on without memory.',
  PROVIDER_ERROR: 'Try once more. If it fails again, go on without memory.',
}

/** An error as a tool result: the code, what is wrong, and what to do, on one line. */
export function toFailedResult(error: unknown): CallToolResult {
  const { code, message, details } = toMemoryError(error)
  const correct = code === 'INVALID_INPUT' && details.field ? `Correct ${details.field} and call again.` : ADVICE[code]
  const advice = typeof details.hint === 'string' ? details.hint : correct
  return { content: [{ type: 'text', text: sanitizeText(`${code}: ${message} ${advice}`) }], isError: true }
}

function toMemoryError(error: unknown): MemoryError {
  if (MemoryError.is(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new MemoryError('PROVIDER_ERROR', `The memory failed unexpectedly: ${message}.`, { cause: error })
}
