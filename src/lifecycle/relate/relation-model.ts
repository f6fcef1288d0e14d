import { type BatchRow, inBatches, pad } from '../../embedding/batches.ts'
import type { LoadedModel, ModelFiles, ModelOptions } from '../../embedding/model-files.ts'
import { lazyModel } from '../../embedding/packaged-model.ts'
import { CLS, SEP } from '../../embedding/word-pieces.ts'
import type { Likelihoods, TextPair } from './relation.ts'

/** Tells how two texts relate by meaning. */
export interface RelationModel {
  /** Identifies the weights and the preprocessing. */
  readonly name: string
  /**
   * One answer per pair, in order; null for a pair that is too long. The order within a pair makes no difference.
   * Rejects with a `MemoryError` if the model is missing or fails.
   */
  ask(pairs: readonly TextPair[]): Promise<(Likelihoods | null)[]>
  /** Loads what ask() needs, so that the first call is fast. */
  warm(): Promise<void>
  /** Unloads the model once running calls have ended. A later ask() loads it again. */
  close(): Promise<void>
}

const RELATION_MODEL: ModelFiles = {
  title: 'relation model',
  place: 'models/relate',
  file: 'relate.onnx',
  /** The thresholds were tuned for these weights. */
  sha256: '0dfc643745f4fc8626100e4a135c1b2ee9397653d7f202502749e2099a3d8f59',
  vectors: {},
}

/**
 * Twice the length used in training. Longer pairs are not truncated, because the difference may be in the part cut off.
 */
const MAX_TOKENS = 256
const MAX_CHARACTERS = 2000
/** Cached answers: a commit that met a conflict asks again, and so does a session that is captured twice. */
const RECENT = 1024

/**
 * The bundled cross-encoder, run in this process: offline, without a key. Nothing is loaded until the first ask() or
 * warm().
 */
export function localRelationModel(options: ModelOptions = {}): RelationModel {
  const classifier = lazyModel(RELATION_MODEL, options)
  const recent = new Map<string, Likelihoods | null>()

  async function answer(pairs: readonly TextPair[]): Promise<void> {
    const answers = await classifier.use((model) => askAll(model, pairs))
    pairs.forEach((pair, i) => {
      recent.set(keyOf(pair), answers[i]!)
    })
    for (const key of recent.keys()) {
      if (recent.size <= Math.max(RECENT, pairs.length)) break
      recent.delete(key)
    }
  }

  return {
    name: 'local:nokosu-relate-5',
    async ask(pairs) {
      const unknown = new Map(pairs.filter((pair) => !recent.has(keyOf(pair))).map((pair) => [keyOf(pair), pair]))
      // Read first, before new answers evict them.
      const known = new Map(pairs.map((pair) => [keyOf(pair), recent.get(keyOf(pair)) ?? null]))
      if (unknown.size > 0) {
        await answer([...unknown.values()])
        for (const key of unknown.keys()) known.set(key, recent.get(key) ?? null)
      }
      return pairs.map((pair) => known.get(keyOf(pair))!)
    },
    async warm() {
      await classifier.use((model) => askAll(model, [['warm', 'cold']]))
    },
    close: () => classifier.close(),
  }
}

/** The same key for both orders. */
export function keyOf([a, b]: TextPair): string {
  return a <= b ? `${a}\u0000${b}` : `${b}\u0000${a}`
}

interface Row extends BatchRow {
  /** The index of its pair. */
  of: number
}

/**
 * From these scores on in one order, the other order never changed the result (decision 009), which halves the work for
 * most pairs.
 */
const PLAIN = { other: 0.5, related: 0.8 }

function isPlain({ same, contradicts, other }: Likelihoods): boolean {
  return other >= PLAIN.other || Math.max(same, contradicts) >= PLAIN.related
}

/** Asks both orders of every pair, or one if that is conclusive. The results do not depend on the other pairs. */
async function askAll(model: LoadedModel, pairs: readonly TextPair[]): Promise<(Likelihoods | null)[]> {
  const tokens = new Map<string, number[]>()
  const tokenize = (text: string) => {
    const ids = tokens.get(text) ?? model.tokenize(text)
    tokens.set(text, ids)
    return ids
  }
  const rows = pairs.flatMap(([one, two], of) => {
    if (one.length > MAX_CHARACTERS || two.length > MAX_CHARACTERS) return []
    const [a, b] = one <= two ? [tokenize(one), tokenize(two)] : [tokenize(two), tokenize(one)]
    return a.length + b.length + 3 > MAX_TOKENS ? [] : [{ a, b, of }]
  })
  const forth = await run(
    model,
    rows.map(({ a, b, of }) => toRow(a, b, of)),
  )
  const open = rows.filter(({ of }) => !isPlain(forth.get(of)!))
  const back = await run(
    model,
    open.map(({ a, b, of }) => toRow(b, a, of)),
  )
  return pairs.map((_, of) => {
    const [one, two] = [forth.get(of), back.get(of)]
    return one && two ? mean(one, two) : (one ?? null)
  })
}

function toRow(a: readonly number[], b: readonly number[], of: number): Row {
  return { ids: [CLS, ...a, SEP, ...b, SEP], second: a.length + 2, of }
}

async function run({ network }: LoadedModel, rows: readonly Row[]): Promise<Map<number, Likelihoods>> {
  const found = new Map<number, Likelihoods>()
  for (const batch of inBatches(rows)) {
    const { data } = await network.run(pad(batch), 'logits')
    batch.forEach(({ of }, i) => {
      const [same, contradicts, other] = softmax(data.subarray(3 * i, 3 * i + 3))
      found.set(of, { same: same!, contradicts: contradicts!, other: other! })
    })
  }
  return found
}

function mean(a: Likelihoods, b: Likelihoods): Likelihoods {
  return {
    same: (a.same + b.same) / 2,
    contradicts: (a.contradicts + b.contradicts) / 2,
    other: (a.other + b.other) / 2,
  }
}

function softmax(logits: Float32Array): number[] {
  const most = Math.max(...logits)
  const powers = [...logits].map((value) => Math.exp(value - most))
  const sum = powers.reduce((total, value) => total + value, 0)
  return powers.map((value) => value / sum)
}
