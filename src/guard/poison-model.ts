import { inBatches, pad } from '../embedding/batches.ts'
import { type LoadedModel, lazyModel, type ModelFiles, type ModelOptions } from '../embedding/packaged-model.ts'
import { CLS, SEP } from '../embedding/word-pieces.ts'
import { withoutHashes } from './without-hashes.ts'
import { wordScore } from './word-score.ts'

/** Tells how likely a text was written to make a later reader do harm. */
export interface PoisonModel {
  /** Identifies the weights. */
  readonly name: string
  /** From 0 to 1, one a text, in order. Rejects with a `MemoryError` when there is no model or it fails. */
  judge(texts: readonly string[]): Promise<number[]>
  /** Loads what judge() needs, so that the first call is quick. */
  warm?(): Promise<void>
  /** Frees what was loaded, after the calls under way have ended. A later judge() loads again. */
  close(): Promise<void>
}

const POISON_MODEL: ModelFiles = {
  title: 'model that recognises poisons',
  place: 'models/guard',
  file: 'guard.onnx',
  /** The threshold was chosen for these weights. */
  sha256: 'c2ec61462f5c8bc4a6e155244b3bf56ddb0ad1d3f296993dd591b97bc48f6417',
}

/** What the training showed it at once. A longer text is read in parts that overlap, and is as bad as its worst part. */
const WINDOW = 126
const STEP = 96

/** How much the words alone count beside the model, both in logits. */
const WORDS = 1.5
/** The network's logits end here: it was taught no more certainty. What its words keep below `LEAST` even so is not read by it. */
const MOST = 2.75
const LEAST = 0.7

/** The classifier of this package, in this process: offline, no key. Nothing is loaded until a judge() that needs it, or warm(). */
export function localPoisonModel(options: ModelOptions = {}): PoisonModel {
  const classifier = lazyModel(POISON_MODEL, options)
  return {
    name: 'local:nokosu-guard-2',
    judge: (texts) => judgeOpen(texts, (open) => classifier.use((model) => judgeAll(model, open))),
    async warm() {
      await classifier.use((model) => judgeAll(model, ['warm']))
    },
    close: () => classifier.close(),
  }
}

/** Most ordinary notes are settled by their words. */
async function judgeOpen(
  texts: readonly string[],
  read: (texts: readonly string[]) => Promise<number[]>,
): Promise<number[]> {
  const rows = texts.map((text) => ({ text: plain(text), words: WORDS * wordScore(plain(text)) }))
  const open = rows.filter(({ words }) => MOST + words >= LEAST)
  const logits = open.length === 0 ? [] : await read(open.map(({ text }) => text))
  const found = new Map(open.map((row, i) => [row, logits[i]!]))
  return rows.map((row) => 1 / (1 + Math.exp(-row.words - (found.get(row) ?? -MOST))))
}

/** Habits of the training's writers that say nothing: as train/guard/train.py does it. */
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
