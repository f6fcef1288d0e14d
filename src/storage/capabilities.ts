/** What a backend can do by itself. The engine reads all of it, and supplies what is missing. */
export interface Capabilities {
  /** `search` answers by vector. Without, the engine reads the scopes and compares. */
  vectorSearch: boolean
  /** `search` answers by token. Without, the engine reads the scopes and counts. */
  keywordSearch: boolean
  /**
   * The most writes that one commit takes, all or none; at least 1. The engine splits larger work into parts of this size.
   * Each part is atomic, and a part that was applied is not applied again when the whole is repeated with its key.
   */
  maxWrites: number
  /** The most that one commit may weigh: its writes as JSON, in bytes. The engine keeps to this too; a single write may be larger. */
  maxBytes: number
  /** Of a memory's content, in UTF-16 code units. */
  maxContentLength: number
}
