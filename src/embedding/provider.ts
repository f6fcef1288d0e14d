/** Turns text into vectors. The engine caches, retries and compares; a provider only embeds. */
export interface EmbeddingProvider {
  /** Identifies model and preparation, e.g. `local:nokosu-embed-2`; vectors of two names are never compared. */
  readonly name: string
  readonly dimensions: number
  /** Characters of a text that are looked at; the rest is cut off, never refused. Absent: no limit of its own. */
  readonly maxCharacters?: number
  /**
   * One vector of unit length per text, in order; a text with nothing to embed (blank) gets the zero vector.
   * An aborted signal rejects with the signal's reason, every other failure with a `MemoryError`.
   */
  embed(texts: readonly string[], options?: { signal?: AbortSignal }): Promise<Float32Array[]>
  /**
   * Maps the cosine of a query and a memory onto the shared scale, on which answers begin at 0.4. Monotonic. Identity when absent.
   * `terseness`, 0 to 1: a few words that memories hold lie nearer to all of their topic than a sentence does. `documents`: among
   * more memories, more lie near to any question. Two memories are
   * compared by their bare cosine.
   */
  calibrate?(cosine: number, terseness?: number, documents?: number): number
  /** Loads what embed() needs, so that the first call is quick. */
  warm?(): Promise<void>
  /** Frees what was loaded, after the calls under way have ended. A later embed() loads again. */
  close?(): Promise<void>
}
