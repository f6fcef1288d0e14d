/** The inputs or outputs of a model. */
export interface Feed {
  type: string
  data: BigInt64Array | Float32Array
  dims: readonly number[]
}

/** By the names of the inputs. */
export type Feeds = Readonly<Record<string, Feed>>

/** Rows of token ids, all of equal length, row by row. */
export interface TokenRows {
  input_ids: BigInt64Array
  attention_mask: BigInt64Array
  token_type_ids: BigInt64Array
  rows: number
}

/** A single text without padding. */
export function oneRow(tokens: readonly number[]): TokenRows {
  return {
    input_ids: BigInt64Array.from(tokens, BigInt),
    attention_mask: new BigInt64Array(tokens.length).fill(1n),
    token_type_ids: new BigInt64Array(tokens.length),
    rows: 1,
  }
}
