import type { Memory } from '../../model/memory.ts'
import type { StoredMemory } from '../../storage/memory-query.ts'
import { tokenize } from '../../text/tokens.ts'
import { dot } from '../../vector/dot.ts'
import { normalize } from '../../vector/normalize.ts'
import { isStopToken } from '../terms.ts'
import { type MemoryWords, memoryWords } from './memory-words.ts'
import type { Scene } from './scene.ts'
import type { TokenWeight } from './terms.ts'
import { addToDrift, type Nearness, type Trace } from './trace.ts'

/** A moment as memories are compared with it. */
export interface Sought {
  scene: Scene
  /** What happens; the same with the prompt in front; its parts. */
  now: Float32Array
  inContext: Float32Array
  parts: readonly { text: string; vector: Float32Array }[]
  prompt: Float32Array
  /** What the words of the moment tell, and those of the prompt. */
  weights: ReadonlyMap<string, TokenWeight>
  promptWeights: ReadonlyMap<string, TokenWeight>
  /** Onto the scale on which answers begin at 0.4, whatever the model. */
  calibrate(cosine: number): number
}

/** In the order of the values: the trees of `trees.ts` name them by their place. */
export const FEATURES = [
  // By meaning: all together, and each comparison. Then how near it was at earlier moments.
  ...['near', 'now', 'inContext', 'best', 'prompt', 'drift'],
  ...['nearBest', 'nearMean', 'nearLast'],
  // By words: all, those of the prompt, those that it names exactly, those that it begins with, and those that are new.
  ...['words', 'rarest', 'count', 'promptWords', 'keys', 'rarestKey', 'keyShare'],
  ...['head', 'rarestHead', 'headShare', 'fresh', 'rarestFresh', 'rarestFreshKey', 'partShare'],
  // Its service, what kind of note it is, and what kind of moment this is.
  ...['serviceNear', 'serviceNow', 'serviceInPrompt', 'serviceSeen', 'general', 'rules'],
  ...['wordsInMoment', 'light', 'isPrompt', 'isTool', 'isFailure'],
] as const

/** A candidate with what speaks for it. */
export interface Featured {
  memory: Memory
  /** One for each of {@link FEATURES}. */
  values: number[]
  /** By meaning and words together. */
  near: number
  words: number
  /** The words that it shares with the moment, the most telling first; and those of them that it names exactly. */
  shared: string[]
  keys: string[]
}

/** What shared words are worth beside meaning, and how many of them are strong evidence. */
const WORDS = 0.3
const STRONG = 6
/** What a word weighs on average. */
const USUAL = 4
/** How near a memory is taken to have been at a moment for which it was no candidate. */
const FAR = 0.15
/** A part that tells less is no measure. */
const LEAST_IN_PART = 3

/** What speaks for each candidate at this moment. */
export function featuresOf(candidates: readonly StoredMemory[], sought: Sought, trace: Trace): Featured[] {
  const { scene, promptWeights } = sought
  const weights = new Map(
    [...sought.weights].filter(([, { held }]) => held).map(([token, { weight }]) => [token, weight]),
  )
  const sum = (tokens: readonly string[]) => tokens.reduce((all, token) => all + weights.get(token)!, 0)
  const most = (tokens: readonly string[]) => tokens.reduce((all, token) => Math.max(all, weights.get(token)!), 0)
  const own = new Set(weights.keys())
  const ofPrompt = new Set(promptWeights.keys())
  const parts = [scene.text, ...sought.parts.map(({ text }) => text)].map((text) => readPart(text, sought.weights))
  const direction = normalize(addToDrift(trace.drift, sought.now))

  const found = candidates.map((stored) => {
    const words = memoryWords(stored.memory)
    const shared = [...own].filter((token) => words.all.has(token))
    const meaning = meaningOf(stored.vector, sought)
    const near = (meaning.now + meaning.inContext + meaning.best) / 3 + WORDS * (1 - Math.exp(-sum(shared) / STRONG))
    return { ...stored, words, shared, meaning, near }
  })
  const services = nearServices(found)

  return found.map(({ memory, vector, words, shared, meaning, near }) => {
    const keys = shared.filter((token) => words.keys.has(token))
    const head = shared.filter((token) => words.head.has(token))
    const fresh = shared.filter((token) => !trace.tokens.has(token))
    const freshKeys = fresh.filter((token) => words.keys.has(token))
    const isNamedBy = (said: ReadonlySet<string>) =>
      words.service.length > 0 && words.service.every((token) => said.has(token))
    const before = trace.near.get(memory.id)
    const values = [
      ...[near, meaning.now, meaning.inContext, meaning.best],
      ...[compare(vector, sought.prompt, sought), compare(vector, direction, sought)],
      ...[before?.best ?? 0, meanBefore(before, trace.moments, near), lastBefore(before, trace.moments)],
      ...[sum(shared), most(shared), shared.length, heldInPrompt(words, promptWeights)],
      ...[sum(keys), most(keys), sum(keys) / (USUAL * Math.max(1, words.keys.size))],
      ...[sum(head), most(head), sum(head) / (USUAL * Math.max(1, words.head.size))],
      ...[sum(fresh), most(fresh), most(freshKeys), bestShare(parts, words)],
      ...[services.get(memory.service)!, Number(isNamedBy(own)), Number(isNamedBy(ofPrompt))],
      ...[Number(memory.service !== null && trace.services.has(memory.service)), Number(memory.service === null)],
      ...[Math.min(3, words.rules), own.size, Number(trace.light)],
      ...[Number(scene.kind === 'prompt' || scene.kind === 'task'), Number(scene.kind === 'tool')],
      Number(scene.kind === 'failure'),
    ]
    const telling = shared.toSorted((a, b) => weights.get(b)! - weights.get(a)!)
    return {
      memory,
      values,
      near,
      words: sum(shared),
      shared: telling,
      keys: telling.filter((token) => words.keys.has(token)),
    }
  })
}

function compare(vector: Float32Array | null, other: Float32Array, { calibrate }: Sought): number {
  return vector === null ? 0 : calibrate(dot(vector, other))
}

function meaningOf(vector: Float32Array | null, sought: Sought): { now: number; inContext: number; best: number } {
  const now = compare(vector, sought.now, sought)
  const best = Math.max(now, ...sought.parts.map((part) => compare(vector, part.vector, sought)))
  return { now, inContext: compare(vector, sought.inContext, sought), best }
}

function meanBefore(before: Nearness | undefined, moments: number, near: number): number {
  if (moments === 0) return near
  return ((before?.sum ?? 0) + FAR * (moments - (before?.count ?? 0))) / moments
}

function lastBefore(before: Nearness | undefined, moments: number): number {
  return before !== undefined && before.at === moments - 1 ? before.last : FAR
}

function heldInPrompt({ all }: MemoryWords, weights: Sought['promptWeights']): number {
  let sum = 0
  for (const [token, { weight, held }] of weights) if (held && all.has(token)) sum += weight
  return sum
}

/** A part with the weights of its words; what no memory holds counts half, as it may be the agent's own way of saying it. */
interface Part {
  weights: (readonly [string, number])[]
  total: number
}

function readPart(text: string, known: Sought['weights']): Part {
  const tokens = new Set(tokenize(text).filter((token) => token.length > 1 && !isStopToken(token)))
  const weights = [...tokens].flatMap((token) => {
    const found = known.get(token)
    return found === undefined ? [] : [[token, found.held ? found.weight : found.weight / 2] as const]
  })
  return { weights, total: weights.reduce((sum, [, weight]) => sum + weight, 0) }
}

/** The share of a part that the memory holds, of the part of which it holds most. */
function bestShare(parts: readonly Part[], { all }: MemoryWords): number {
  let best = 0
  for (const { weights, total } of parts) {
    if (total < LEAST_IN_PART) continue
    const held = weights.reduce((sum, [token, weight]) => (all.has(token) ? sum + weight : sum), 0)
    best = Math.max(best, held / total)
  }
  return best
}

/** How near each service is: the mean of its three nearest memories. */
function nearServices(found: readonly { memory: Memory; near: number }[]): Map<string | null, number> {
  const byService = Map.groupBy(found, ({ memory }) => memory.service)
  return new Map(
    [...byService].map(([service, own]) => {
      const best = own
        .map(({ near }) => near)
        .sort((a, b) => b - a)
        .slice(0, 3)
      return [service, best.reduce((sum, near) => sum + near, 0) / best.length]
    }),
  )
}
