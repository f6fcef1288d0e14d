import { tokenize } from '../../text/tokens.ts'
import { isStopToken } from '../terms.ts'
import { endsOf } from './ends-of.ts'
import type { Scene } from './scene.ts'

/** The most words of a moment to search for. More would cost postings and add little. */
const MOST_TOKENS = 64
/** Between the words of `camelCase` and `HTTPServer`. */
const INSIDE_CAMEL = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g

/** The distinct informative words of a text, including parts of compound names. */
function tellingTokens(text: string): string[] {
  const all = [...tokenize(text), ...tokenize(text.replace(INSIDE_CAMEL, ' '))]
  return [...new Set(all)].filter((token) => token.length > 1 && !isStopToken(token))
}

/**
 * The informative words of a moment: the event's, then the action's. If there are too many, the first and last ones.
 */
export function sceneTokens({ commands, paths, text }: Scene): string[] {
  return endsOf(tellingTokens([text, ...commands.map((command) => command.text), ...paths].join('\n')), MOST_TOKENS)
}

/** Keeps rarity meaningful while a store is small. */
const PRIOR_DOCUMENTS = 50
/** The weight of a word in a single memory, whatever the size of the store. */
const RAREST = 5

/**
 * The weight of each word in this store: 5 if one memory has it, less the more common it is, and at most 2.5 if none
 * does. Unlike the information in `score.ts` it does not grow with the store, because weights trained on small stores
 * must work on large ones.
 */
export function weighTokens(
  tokens: readonly string[],
  frequencies: readonly number[],
  documents: number,
): Map<string, TokenWeight> {
  const most = Math.log((documents + PRIOR_DOCUMENTS) / 1.5)
  return new Map(
    tokens.map((token, i) => {
      const frequency = frequencies[i] ?? 0
      const rarity = Math.log((documents + PRIOR_DOCUMENTS) / (Math.max(1, frequency) + 0.5)) / most
      return [token, { weight: RAREST * Math.max(0.02, rarity), held: frequency > 0 }] as const
    }),
  )
}

export interface TokenWeight {
  weight: number
  /** Whether any memory contains it. */
  held: boolean
}
