/** What a backend supports natively. The engine reads every field and fills in what is missing. */
export interface Capabilities {
  /** `search` finds by vector. Otherwise the engine reads the scopes and compares. */
  vectorSearch: boolean
  /** `search` finds by token. Otherwise the engine reads the scopes and counts. */
  keywordSearch: boolean
  /**
   * The maximum number of writes in one atomic commit; at least 1. The engine splits larger work into parts of this
   * size. Each part is atomic, and is not applied again when the whole is repeated with its key.
   */
  maxWrites: number
  /**
   * The maximum size of one commit: its writes as JSON, in bytes. The engine respects this too, but a single write may
   * be larger.
   */
  maxBytes: number
  /** Maximum length of a memory's content, in UTF-16 code units. */
  maxContentLength: number
}
