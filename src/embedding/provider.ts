/** Turns text into vectors. The engine caches, retries and compares; a provider only embeds. */
export interface EmbeddingProvider {
  /** Identifies model and preprocessing, e.g. `local:nokosu-embed-2`; vectors with different names are never compared. */
  readonly name: string
  readonly dimensions: number
  /** Characters of a text that are read; the rest is cut off, never refused. Absent: no limit of its own. */
  readonly maxCharacters?: number
  /**
   * One vector of unit length per text, in order; a text with nothing to embed (blank) gets the zero vector.
   * An aborted signal rejects with the signal's reason, every other failure with a `MemoryError`.
   */
  embed(texts: readonly string[], options?: { signal?: AbortSignal }): Promise<Float32Array[]>
  /**
   * Maps the cosine of a query and a memory to the shared scale, on which answers begin at 0.4. Monotonic. Identity if absent.
   * `terseness`, 0 to 1: a few words that memories contain are closer to their topic than a sentence is. `documents`: among
   * more memories, more are close to any query. Two memories are
   * compared by their plain cosine.
   */
  calibrate?(cosine: number, terseness?: number, documents?: number): number
  /** Loads what embed() needs, so that the first call is fast. */
  warm?(): Promise<void>
  /** Unloads it once running calls have ended. A later embed() loads it again. */
  close?(): Promise<void>
}
