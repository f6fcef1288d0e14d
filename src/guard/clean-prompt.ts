import { withoutPrivate } from '../capture/private.ts'
import { cleanText } from './clean-text.ts'

const MOST = 200

/** The first line of a prompt, as stored with a session: without private parts, secrets and invisible characters. */
export function cleanPrompt(prompt: string): string {
  const [first = ''] = withoutPrivate(prompt).trim().split(/\r?\n/)
  const { text } = cleanText(first)
  return text.length <= MOST ? text : `${text.slice(0, MOST - 1).toWellFormed()}…`
}
