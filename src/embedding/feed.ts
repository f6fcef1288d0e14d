/** What a model is given, or answers. */
export interface Feed {
  type: string
  data: BigInt64Array | Float32Array
  dims: readonly number[]
}

/** By the names of the inputs. */
export type Feeds = Readonly<Record<string, Feed>>
