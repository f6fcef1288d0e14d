import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { findInstalled } from '../embedding/runtime-files.ts'

/** Of the weights in `models/guard/words.bin`; `train/guard/words.py` prints both. */
const STEP = 0.011638957
const BIAS = -1.527568
/** A long text is scored by its worst stretch. In words and punctuation marks. */
const STRETCH = 96

const WORD = /\p{L}+|\p{Nd}+|[^\p{L}\p{Nd}\s_]/gu

let weights: Int8Array | null = null

/** A weight for each hash of a word, or of two words in a row. Empty without the model. */
function readWeights(): Int8Array {
  const folder = findInstalled('models/guard', 'words.bin')
  return folder === null ? new Int8Array(0) : new Int8Array(readFileSync(join(folder, 'words.bin')))
}

/**
 * How strongly the words alone suggest a poison rather than an ordinary note: a linear score in logits. It is very cheap, was trained on
 * many more ordinary notes than the model, and settles most of them without it.
 */
export function wordScore(text: string, stretch = STRETCH): number {
  weights ??= readWeights()
  if (weights.length === 0) return 0
  const words = (text.toLowerCase().match(WORD) ?? []).map((word) => (/^\p{Nd}/u.test(word) ? '0' : word))
  let worst = Number.NEGATIVE_INFINITY
  for (let start = 0; start === 0 || start + stretch / 2 < words.length; start += stretch / 2) {
    worst = Math.max(worst, scoreOf(words.slice(start, start + stretch), weights))
  }
  return worst
}

function scoreOf(words: readonly string[], table: Int8Array): number {
  const places = new Set<number>()
  for (const [i, word] of words.entries()) {
    places.add(crc32(word) % table.length)
    if (i > 0) places.add(crc32(`${words[i - 1]} ${word}`) % table.length)
  }
  let sum = 0
  for (const place of places) sum += table[place]!
  return (2 * STEP * sum) / Math.sqrt(Math.max(1, places.size)) + BIAS
}
