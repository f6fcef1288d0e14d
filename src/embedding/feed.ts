/** The inputs or outputs of a model. */
export interface Feed {
  type: string
  data: BigInt64Array | Float32Array
  dims: readonly number[]
}

/** By the names of the inputs. */
export type Feeds = Readonly<Record<string, Feed>>
