/** One kind of secret. The table is data: a new vendor is a new row and a new example in the test. */
export interface SecretRule {
  /** Shown in place of the secret, so it names the kind and never the value. */
  id: string
  /**
   * Global. The secret is the last capture group that matched, or the whole match where there is none. Every quantifier is bounded or
   * stops at the next possible start, so that matching stays linear.
   */
  pattern: RegExp
  /** Lower case, separated by `|`. The pattern runs only over texts that contain one of them; without any, over texts with a long run. */
  keywords: string
  /** Least Shannon entropy of the secret, in bits a character. */
  entropy?: number
  /** The final check: the secret, what stands before the match (96 characters at most), the match up to the secret, what follows it. */
  accept?: (secret: string, before: string, lead: string, after: string) => boolean
}
