import { CODE_RULES } from './code-secret.ts'
import { COMMAND_RULES } from './command-secret.ts'
import { NAMED_RULES } from './named-secret-rules.ts'
import { CONTEXT_RULES } from './secret-context-rules.ts'
import { PASSPHRASE_RULES } from './secret-passphrase.ts'
import type { SecretRule } from './secret-rule.ts'
import { TOKEN_RULES } from './secret-token-rules.ts'
import { TOLD_RULES } from './told-secret.ts'
import { VENDOR_RULES } from './vendor-secret.ts'

/** All rules. When two match at the same place, the earlier one names the secret, so specific rules come before general ones. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...TOKEN_RULES,
  ...CONTEXT_RULES,
  ...NAMED_RULES,
  ...PASSPHRASE_RULES,
  ...CODE_RULES,
  ...COMMAND_RULES,
  ...TOLD_RULES,
  ...VENDOR_RULES,
]
