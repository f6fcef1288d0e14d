import { CONTEXT_RULES } from './secret-context-rules.ts'
import type { SecretRule } from './secret-rule.ts'
import { TOKEN_RULES } from './secret-token-rules.ts'

/** Every rule. Where two match at one place the earlier row names the secret, so the specific stand before the general. */
export const SECRET_RULES: readonly SecretRule[] = [...TOKEN_RULES, ...CONTEXT_RULES]
