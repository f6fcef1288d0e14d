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

/** A moment in the form memories are compared with. */
export interface Sought {
  scene: Scene
  /** Vectors of the event, of the event with the prompt, and of its parts. */
  now: Float32Array
  inContext: Float32Array
  parts: readonly { text: string; vector: Float32Array }[]
  prompt: Float32Array
  /** The weights of the moment's words, and of the prompt's. */
  weights: ReadonlyMap<string, TokenWeight>
  promptWeights: ReadonlyMap<string, TokenWeight>
  /** Maps a cosine to a scale on which answers begin at 0.4 for every model. */
  calibrate(cosine: number): number
}

/** In the order of the values: the trees in `trees.ts` refer to them by index. */
export const FEATURES = [
  // By meaning: overall, and each comparison. Then the similarity to earlier moments.
  ...['near', 'now', 'inContext', 'best', 'prompt', 'drift'],
  ...['nearBest', 'nearMean', 'nearLast'],
  // By words: all, those in the prompt, exact names, leading words, and new ones.
  ...['words', 'rarest', 'count', 'promptWords', 'keys', 'rarestKey', 'keyShare'],
  ...['head', 'rarestHead', 'headShare', 'fresh', 'rarestFresh', 'rarestFreshKey', 'partShare'],
  // Its service, the kind of note, and the kind of moment.
  ...['serviceNear', 'serviceNow', 'serviceInPrompt', 'serviceSeen', 'general', 'rules'],
  ...['wordsInMoment', 'light', 'isPrompt', 'isTool', 'isFailure'],
] as const

/** A candidate with its features. */
export interface Featured {
  memory: Memory
  /** One per entry of {@link FEATURES}. */
  values: number[]
  /** Meaning and words combined. */
  near: number
  words: number
  /** The words it shares with the moment, most informative first, and those it names exactly. */
  shared: string[]
  keys: string[]
}

/** The weight of shared words relative to meaning, and how many of them are strong evidence. */
const WORDS = 0.3
const STRONG = 6
/** The average weight of a word. */
const USUAL = 4
/** The assumed similarity to a moment for which a memory was not a candidate. */
const FAR = 0.15
/** Parts with less weight are ignored. */
const LEAST_IN_PART = 3

/** The features of each candidate at this moment. */
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

/** A part with the weights of its words. Words in no memory count half, since they may be the agent's own. */
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

/** The largest share of a part that the memory contains. */
function bestShare(parts: readonly Part[], { all }: MemoryWords): number {
  let best = 0
  for (const { weights, total } of parts) {
    if (total < LEAST_IN_PART) continue
    const held = weights.reduce((sum, [token, weight]) => (all.has(token) ? sum + weight : sum), 0)
    best = Math.max(best, held / total)
  }
  return best
}

/** The similarity of each service: the mean of its three nearest memories. */
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
