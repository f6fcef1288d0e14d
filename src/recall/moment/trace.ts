import type { MomentKind } from '../../model/moment.ts'
import type { TokenWeight } from './terms.ts'

/** What the moments since the last prompt were about. */
export interface Trace {
  /** The prompt or task; empty before the first. */
  prompt: string
  promptVector: Float32Array | null
  promptWeights: ReadonlyMap<string, TokenWeight>
  /** The prompt asks for reading, writing text or tidying up, where little can go wrong. */
  light: boolean
  /** The number of moments. */
  moments: number
  /** The weighted mean of their vectors, the latest weighing most; null before the first. */
  drift: Float32Array | null
  /** Words and services that occurred. */
  tokens: Set<string>
  services: Set<string>
  /** How similar each memory was at the moments for which it was a candidate. */
  near: Map<string, Nearness>
}

export interface Nearness {
  count: number
  sum: number
  best: number
  last: number
  /** The moment of `last`. */
  at: number
}

/** Recognises light prompts by their words. */
const LIGHT =
  /\btypos?\b|misspel|\bspelling\b|\bwording\b|dead links?|broken links?|\breadme\b|\bhow (?:many|much)\b|\bwhich of\b|\bnumber of\b|\blines of\b|\bexplain\b|\bhow does\b|\bwhat (?:got|changed)\b|\bbullets\b|\bnewsletter\b|\bchangelog\b|\brename\b|\btype hints?\b|\b(?:unit|table) tests?\b|\badd (?:unit )?tests\b|\bchange nothing\b|\bjust (?:the list|explain)\b/i

export function startTrace(prompt = ''): Trace {
  return {
    prompt,
    promptVector: null,
    promptWeights: new Map(),
    light: LIGHT.test(prompt),
    moments: 0,
    drift: null,
    tokens: new Set(),
    services: new Set(),
    near: new Map(),
  }
}

/** Whether this is a prompt or task: the moments after it are about that. */
export function isAsking({ kind }: { kind: MomentKind }): boolean {
  return kind === 'prompt' || kind === 'task'
}

/** The weight of earlier moments relative to the latest. */
const FADING = 0.8

/** The drift including this moment. */
export function addToDrift(drift: Float32Array | null, now: Float32Array): Float32Array {
  return now.map((value, i) => value + FADING * (drift?.[i] ?? 0))
}

export function addNearness(known: Nearness | undefined, near: number, at: number): Nearness {
  const { count, sum, best } = known ?? { count: 0, sum: 0, best: 0 }
  return { count: count + 1, sum: sum + near, best: Math.max(best, near), last: near, at }
}
