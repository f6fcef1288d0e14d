import { type Redaction, redactSecrets } from './redact-secrets.ts'
import { sanitizeLines, sanitizeText } from './sanitize.ts'

/**
 * One line of visible text without secrets. Cleaning comes first, so that a secret with a zero-width space in it is found. A token
 * split by a line break is searched for before the lines are joined.
 */
export function cleanText(text: string): { text: string; found: Redaction[] } {
  const lines = sanitizeLines(text)
  if (!lines.includes('\n')) return redactSecrets(lines)
  const whole = redactSecrets(lines)
  const flat = redactSecrets(sanitizeText(whole.text))
  return { text: flat.text, found: [...whole.found, ...flat.found] }
}
