/** One kind of secret. The table is data: a new vendor is a new row and a new example in the test. */
export interface SecretRule {
  /** Replaces the secret in the text, so it names the kind and never the value. */
  id: string
  /** Global. Every quantifier is bounded or stops at the next possible start, so that matching stays linear. */
  pattern: RegExp
  /** Lower case. The pattern runs only over texts that hold one of them. */
  keywords: readonly string[]
  /** The capture group that holds the secret; without it the whole match is the secret. */
  group?: number
  /** The least Shannon entropy of the secret, in bits per character. */
  entropy?: number
  /** A final check. Gets the secret, the text before the match (at most 48 characters), and the match up to the secret. */
  accept?: (secret: string, before: string, lead: string) => boolean
}
