import { inBatches, pad } from '../embedding/batches.ts'
import type { LoadedModel, ModelFiles, ModelOptions } from '../embedding/model-files.ts'
import { lazyModel } from '../embedding/packaged-model.ts'
import { CLS, SEP } from '../embedding/word-pieces.ts'
import { withoutHashes } from './without-hashes.ts'
import { wordScore } from './word-score.ts'

/** Tells how likely a text was written to make a later reader do harm. */
export interface PoisonModel {
  /** Identifies the weights. */
  readonly name: string
  /** From 0 to 1, one per text, in order. Rejects with a `MemoryError` if the model is missing or fails. */
  judge(texts: readonly string[]): Promise<number[]>
  /** Loads what judge() needs, so that the first call is fast. */
  warm?(): Promise<void>
  /** Unloads it once running calls have ended. A later judge() loads it again. */
  close(): Promise<void>
}

const POISON_MODEL: ModelFiles = {
  title: 'model that recognises poisons',
  place: 'models/guard',
  file: 'guard.onnx',
  /** The thresholds were chosen for these weights. */
  sha256: '94b37a29bf2e5b4e8849ef2a31552bddd305f5b81073b128a79da7b381eb2d51',
  vectors: {
    own: { file: 'own-vectors.bin', sha256: 'dece31d0d0d525b756e9f10ca2ff6ce49a62d790ab494eae1aa99081e812ac59' },
  },
}

/** The length used in training. A longer text is read in overlapping parts, and scored by its worst part. */
const WINDOW = 126
const STEP = 96

/** The weight of the word score next to the model, both in logits. */
const WORDS = 0.5
/** Words alone settle a text in which no sentence scores this much, as in most ordinary notes. Unknown words score a little more. */
const READ_FROM = -1.55
/** In words: a sentence or two, so that a poison between ordinary sentences is read. */
const SENTENCE = 24
/** Stands for the network's logit where it was not asked. */
const UNREAD = -5

/** The bundled classifier, run in this process: offline, without a key. Nothing is loaded until a judge() that needs it, or warm(). */
export function localPoisonModel(options: ModelOptions = {}): PoisonModel {
  const classifier = lazyModel(POISON_MODEL, options)
  return {
    name: 'local:nokosu-guard-3',
    judge: (texts) => judgeOpen(texts, (open) => classifier.use((model) => judgeAll(model, open))),
    async warm() {
      await classifier.use((model) => judgeAll(model, ['warm']))
    },
    close: () => classifier.close(),
  }
}

async function judgeOpen(
  texts: readonly string[],
  read: (texts: readonly string[]) => Promise<number[]>,
): Promise<number[]> {
  const rows = texts.map(plain).map((text) => ({ text, words: wordScore(text) }))
  const open = rows.filter((row) => wordScore(row.text, SENTENCE) >= READ_FROM)
  const logits = open.length === 0 ? [] : await read(open.map(({ text }) => text))
  const found = new Map(open.map((row, i) => [row, logits[i]!]))
  return rows.map((row) => 1 / (1 + Math.exp(-WORDS * row.words - (found.get(row) ?? UNREAD))))
}

/** Removes meaningless habits of the training's writers, as train/guard/train.py does. */
function plain(text: string): string {
  return withoutHashes(text).trim().replaceAll(';', ',').replace(/\.+$/, '')
}

async function judgeAll({ network, tokenize }: LoadedModel, texts: readonly string[]): Promise<number[]> {
  const rows = texts.flatMap((text, of) => windowsOf(tokenize(text)).map((ids) => ({ ids, of })))
  const worst = texts.map(() => Number.NEGATIVE_INFINITY)
  for (const batch of inBatches(rows)) {
    const { data } = await network.run(pad(batch), 'logits')
    for (const [i, { of }] of batch.entries()) worst[of] = Math.max(worst[of]!, data[i]!)
  }
  return worst
}

function windowsOf(tokens: readonly number[]): number[][] {
  const windows: number[][] = []
  for (let start = 0; start === 0 || start + WINDOW - STEP < tokens.length; start += STEP) {
    windows.push([CLS, ...tokens.slice(start, start + WINDOW), SEP])
  }
  return windows
}
