import type { TokenRows } from './feed.ts'

/** The tokens of one text, or of two. */
export interface BatchRow {
  ids: readonly number[]
  /** The start of a second text. Default: there is none. */
  second?: number
}

/** Rows per run, and tokens including padding: larger runs are no faster, need more memory, and block the process longer. */
const BATCH_ROWS = 32
const BATCH_TOKENS = 512
/** The longest row of a run relative to its shortest: padding costs as much as text. */
const MOST_PADDED = 1.25

/** Groups rows of similar length, so that little is padded. Only for models whose answers do not depend on the batch (train/per_row.py). */
export function* inBatches<Row extends BatchRow>(rows: readonly Row[]): Generator<Row[]> {
  let batch: Row[] = []
  for (const row of rows.toSorted((a, b) => a.ids.length - b.ids.length)) {
    // Sorted by length, so the newest is the longest.
    const isFull = batch.length === BATCH_ROWS || (batch.length + 1) * row.ids.length > BATCH_TOKENS
    if (batch.length > 0 && (isFull || row.ids.length > MOST_PADDED * batch[0]!.ids.length)) {
      yield batch
      batch = []
    }
    batch.push(row)
  }
  if (batch.length > 0) yield batch
}

/** One run of rows sorted by length, each padded to the longest. */
export function pad(batch: readonly BatchRow[]): TokenRows {
  const width = batch.at(-1)!.ids.length
  const size = batch.length * width
  const tokens = {
    input_ids: new BigInt64Array(size),
    attention_mask: new BigInt64Array(size),
    token_type_ids: new BigInt64Array(size),
    rows: batch.length,
  }
  batch.forEach(({ ids, second = ids.length }, row) => {
    const start = row * width
    tokens.input_ids.set(BigInt64Array.from(ids, BigInt), start)
    tokens.attention_mask.fill(1n, start, start + ids.length)
    tokens.token_type_ids.fill(1n, start + second, start + ids.length)
  })
  return tokens
}
