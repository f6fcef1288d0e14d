import { findClaude } from './find-claude.ts'

const FILE = '--append-system-prompt-file'
const TEXT = '--append-system-prompt'

/** Linux takes at most 128 KiB in one argument. */
export const MOST_ARGUMENT_BYTES = 120_000

/** A text for the end of Claude Code's system prompt, and the file that holds it. */
export interface SystemPrompt {
  file: string
  text: string
}

export interface Handed {
  prompt: SystemPrompt | null
  options: readonly string[]
}

/**
 * The command line with the text and the options added, if Claude Code is started by path or by a package manager. Null if
 * the command line does not show it: started by name, it is found in PATH, where our program comes first.
 */
export function handOver(command: readonly string[], { prompt, options }: Handed): string[] | null {
  const at = findClaude(command)
  if (at === null || (command[at] === 'claude' && !isFetched(command, at) && process.platform !== 'win32')) return null
  const changed = [...command]
  if (prompt !== null) {
    const { flag, join } = place(command, at)
    if (flag === TEXT && Buffer.byteLength(prompt.text) > MOST_ARGUMENT_BYTES) return null
    if (join !== null) changed[join] += `\n\n${prompt.text}`
    else changed.splice(at + 1, 0, flag, flag === FILE ? prompt.file : prompt.text)
  }
  return talksToModel(command) ? changed.toSpliced(at + 1, 0, ...options) : changed
}

/** Subcommands with which Claude Code does not talk to a model. */
export const OTHER_COMMANDS =
  'agents|attach|auth|auto-mode|completion|config|doctor|gateway|import|install|kill|logs|mcp|migrate-installer|plugin|plugins|purge|respawn|rm|setup-token|stop|ultrareview|update|upgrade'
export const OTHER_OPTIONS = '-v|--version|-h|--help'

/** Whether Claude Code, as started here, will read its system prompt. */
export function talksToModel(command: readonly string[]): boolean {
  const own = command.slice((findClaude(command) ?? command.length) + 1)
  const options = own.slice(0, own.includes('--') ? own.indexOf('--') : undefined)
  const is = (names: string, word: string) => names.split('|').includes(word)
  return !is(OTHER_COMMANDS, own[0] ?? '') && !options.some((word) => is(OTHER_OPTIONS, word))
}

export function isClaude(command: readonly string[]): boolean {
  return findClaude(command) !== null
}

/** A package manager puts its own folders at the front of PATH. */
function isFetched(command: readonly string[], at: number): boolean {
  return command
    .slice(0, at)
    .some((word) => /^(?:.*[\\/])?(?:npx|bunx|pnpx|npm|pnpm|yarn|bun)(?:\.cmd|\.exe)?$/.test(word))
}

/**
 * The two flags can be combined, and the last of one kind wins. If the caller passes a file, ours becomes a text; if the caller passes
 * both, ours continues the caller's text.
 */
function place(words: readonly string[], claude: number): { flag: string; join: number | null } {
  const end = words.indexOf('--', claude)
  const own = words.slice(0, end < 0 ? undefined : end)
  const find = (flag: string) =>
    own.findLastIndex((word, at) => at > claude && (word === flag || word.startsWith(`${flag}=`)))
  const text = find(TEXT)
  if (find(FILE) < 0) return { flag: FILE, join: null }
  if (text < 0) return { flag: TEXT, join: null }
  return { flag: TEXT, join: words[text] === TEXT ? text + 1 : text }
}
