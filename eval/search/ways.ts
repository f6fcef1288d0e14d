import { SEARCH_MODES } from '../../src/model/schema.ts'
import { RANKING, type Ranking } from '../../src/recall/ranking.ts'
import type { Way } from './ask-all.ts'

const NOTHING = [0, 0, 0, 0] as const

/** The ingredients of hybrid search, each with a way to turn it off. */
const INGREDIENTS: Record<string, Partial<Ranking>> = {
  'parts of an answer': { part: 0 },
  'common names left out': { commonName: 0 },
  'named times': { time: 0, timely: 0 },
  'codes and paths': { sign: 0, mainSign: 0 },
  'the kind that is asked for': { askedKind: 0 },
  'other services': { otherService: 0 },
  'siblings of codes': { sibling: 1 },
  'what a question leaves open': { open: 0 },
  'the length of a text': { length: 0 },
  'named writers': { writer: 0 },
  "neighbours' words": { lentWords: NOTHING },
  "neighbours' meaning": { lentMeaning: NOTHING },
  'answers to what was asked': { answeredWords: 0, answeredMeaning: 0 },
  'best of the thread': { threadBest: 0 },
  'short lines and questions': { brevity: 0, asking: 0 },
  'all of a thread': {
    lentWords: NOTHING,
    lentMeaning: NOTHING,
    answeredWords: 0,
    answeredMeaning: 0,
    threadBest: 0,
    brevity: 0,
    asking: 0,
  },
}

/** Every mode as shipped, and with `ablate` also hybrid search without each ingredient. */
export function waysToSearch(ablate: boolean): Map<string, Way> {
  const ways = new Map<string, Way>(SEARCH_MODES.map((mode) => [mode, { mode }]))
  if (!ablate) return ways
  for (const [name, off] of Object.entries(INGREDIENTS)) {
    ways.set(`without ${name}`, { mode: 'hybrid', ranking: { ...RANKING, ...off } })
  }
  return ways
}
