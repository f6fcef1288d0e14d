import { isClaude } from './output.ts'

const FLAG = '--append-system-prompt'

/**
 * Ends Claude Code's system prompt with a text; what the caller already appends comes first. Other commands stay as they
 * are, and find the text in NOKOSU_CONTEXT.
 */
export function appendSystemPrompt(command: readonly string[], text: string): string[] {
  if (text === '' || !isClaude(command)) return [...command]
  const changed = [...command]
  const at = changed.findIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`))
  if (at < 0) changed.splice(1, 0, FLAG, text)
  else if (changed[at] !== FLAG) changed[at] = `${changed[at]}\n\n${text}`
  else changed[at + 1] = `${changed[at + 1] ?? ''}\n\n${text}`
  return changed
}
