/** One kind of secret. The table is data: a new vendor is a new row and a new example in the test. */
export interface SecretRule {
  /** Shown in the place of the secret, so it names the kind and never the value. */
  id: string
  /** Global. Every quantifier is bounded or stops at the next possible start, so that matching stays linear. */
  pattern: RegExp
  /** Lower case. The pattern runs only over texts that hold one of them. */
  keywords: readonly string[]
  /** The capture group that holds the secret; without it the whole match is the secret. */
  group?: number
  /** Least Shannon entropy of the secret, in bits a character. */
  entropy?: number
  /** A last look: the secret, what stands before the match (96 characters at most), the match up to the secret, what follows it. */
  accept?: (secret: string, before: string, lead: string, after: string) => boolean
}
