import { tokenize } from '../../text/tokens.ts'
import { isStopToken } from '../terms.ts'
import { endsOf } from './ends-of.ts'
import type { Scene } from './scene.ts'

/** Words of a moment that a store is asked for. More cost postings and tell little. */
const MOST_TOKENS = 64
/** Between the words of `camelCase` and `HTTPServer`. */
const INSIDE_CAMEL = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g

/** The telling words of a text, each once; those of compound names too. */
function tellingTokens(text: string): string[] {
  const all = [...tokenize(text), ...tokenize(text.replace(INSIDE_CAMEL, ' '))]
  return [...new Set(all)].filter((token) => token.length > 1 && !isStopToken(token))
}

/** The telling words of a moment: those of what happens, then those of the action that it is about. Of more the first and the last. */
export function sceneTokens({ commands, paths, text }: Scene): string[] {
  return endsOf(tellingTokens([text, ...commands.map((command) => command.text), ...paths].join('\n')), MOST_TOKENS)
}

/** Keeps rarity meaningful while a store is small. */
const PRIOR_DOCUMENTS = 50
/** A word that a single memory holds weighs this much, however large the store is. */
const RAREST = 5

/**
 * What each word tells in this store: 5 where one memory holds it, less the more do, and 2.5 at most where none does. Unlike the
 * information of `score.ts` it does not grow with the store, because what was learned on small stores has to hold on large ones.
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
  /** Whether any memory holds it. */
  held: boolean
}
