/** One kind of secret. The table is data: a new vendor is a new row and a new example in the test. */
export interface SecretRule {
  /** Shown instead of the secret, so it names the kind and never the value. */
  id: string
  /**
   * Global. The secret is the last capture group that matched, or the whole match if there is none. Every quantifier is bounded or
   * stops at the next possible start, so that matching stays linear.
   */
  pattern: RegExp
  /** Lower case, separated by `|`. The pattern only runs on texts that contain one of them; without keywords, on texts with a long run. */
  keywords: string
  /** Minimum Shannon entropy of the secret, in bits per character. */
  entropy?: number
  /** The final check: the secret, the text before the match (at most 96 characters), the match up to the secret, the text after it. */
  accept?: (secret: string, before: string, lead: string, after: string) => boolean
}
