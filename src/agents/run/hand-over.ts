import { findClaude, mentionsClaude } from './find-claude.ts'
import { quoteWord, readScript, type ShellWord } from './shell-script.ts'

const FILE = '--append-system-prompt-file'
const TEXT = '--append-system-prompt'

/** Linux takes at most 128 KiB in one argument. */
export const MOST_ARGUMENT_BYTES = 120_000

/** A text that is to end Claude Code's system prompt, and the file that has it. */
export interface SystemPrompt {
  file: string
  text: string
}

/** It names Claude Code, and where it starts it cannot be told. */
const HIDDEN = Symbol('hidden')

/**
 * The command line with which Claude Code gets the text. Null: it is not Claude Code. A string says why the text cannot be
 * handed over.
 */
export function handOver(command: readonly string[], prompt: SystemPrompt): string[] | string | null {
  // Whoever names our variable passes it on.
  if (command.some((word) => word.includes('NOKOSU_CONTEXT'))) return null
  const changed = change(command, prompt)
  if (changed !== HIDDEN) return changed
  return `Claude Code is started by ${command[0]} in a way that cannot be seen through`
}

export function isClaude(command: readonly string[]): boolean {
  return Array.isArray(change(command, { file: '', text: '' }))
}

function change(command: readonly string[], prompt: SystemPrompt): string[] | typeof HIDDEN | null {
  const found = findClaude(command)
  if (found === null) return mentionsClaude(command) ? HIDDEN : null
  const changed = [...command]
  if ('script' in found) {
    const script = changeScript(command[found.script]!, prompt)
    if (typeof script !== 'string') return script
    changed[found.script] = script
    return changed
  }
  const { flag, join } = place(command, found.at)
  if (flag === TEXT && Buffer.byteLength(prompt.text) > MOST_ARGUMENT_BYTES) return HIDDEN
  if (join !== null) changed[join] += `\n\n${prompt.text}`
  else changed.splice(found.at + 1, 0, flag, flag === FILE ? prompt.file : prompt.text)
  return changed
}

/**
 * The two flags go together, and the last of one kind counts. So a file of the caller's own makes ours a text, and with both of
 * them ours continues the caller's text.
 */
function place(words: readonly (string | null)[], claude: number): { flag: string; join: number | null } {
  const end = words.indexOf('--', claude)
  const own = words.slice(0, end < 0 ? undefined : end)
  const find = (flag: string) =>
    own.findLastIndex((word, at) => at > claude && (word === flag || word?.startsWith(`${flag}=`)))
  const text = find(TEXT)
  if (find(FILE) < 0) return { flag: FILE, join: null }
  if (text < 0) return { flag: TEXT, join: null }
  return { flag: TEXT, join: words[text] === TEXT ? text + 1 : text }
}

interface Edit {
  start: number
  end: number
  text: string
}

/** Null when no command in it is Claude Code. */
function changeScript(script: string, prompt: SystemPrompt): string | typeof HIDDEN | null {
  const commands = readScript(script)
  if (commands === null) return /(?:^|[\s'"/;&|(])claude(?![\w-])/.test(script) ? HIDDEN : null
  const edits: Edit[] = []
  for (const words of commands) {
    const edit = changeCommand(words, prompt)
    if (edit === HIDDEN) return HIDDEN
    if (edit !== null) edits.unshift(edit)
  }
  if (edits.length === 0) return null
  // The last comes first, so that the places of the others stay what they are.
  return edits.reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), script)
}

function changeCommand(words: readonly ShellWord[], prompt: SystemPrompt): Edit | typeof HIDDEN | null {
  const texts = words.map(({ text }) => text)
  const found = findClaude(texts)
  if (found === null) {
    const hidden = words.some(({ inner }) => inner.some((script) => changeScript(script, prompt) !== null))
    return hidden || (mentionsClaude(texts) && !QUOTERS.test(texts[0] ?? '')) ? HIDDEN : null
  }
  if ('script' in found) {
    const { text, start, end } = words[found.script]!
    const changed = text === null ? HIDDEN : changeScript(text, prompt)
    return typeof changed === 'string' ? { start, end, text: quoteWord(changed) } : changed
  }
  const { flag, join } = place(texts, found.at)
  const file = quoteWord(prompt.file)
  const { end } = words[join ?? found.at] ?? words[found.at]!
  const added = flag === FILE ? file : `"$(cat ${file})"`
  return { start: end, end, text: join === null ? ` ${flag} ${added}` : `"$(printf '\\n\\n'; cat ${file})"` }
}

/** Commands to which a name is only a word. */
const QUOTERS = /^(?:echo|printf|grep|which|type|cd|ls|cat|mkdir|test|\[)$/
