import { innerOf } from './inner-commands.ts'
import { substitutionAt } from './substitution.ts'

/** One command of a command line: `git push` in `git add -A && git push`. */
export interface ShellCommand {
  /** As written. */
  text: string
  /** Without quotes, leading variable assignments, or prefixes such as `sudo`. */
  words: string[]
  /** Run by another command: by `timeout`, `ssh` or `bash -c`, or in `$(...)`. */
  inner?: true
}

/** Nesting limit, since a line can be built to contain many commands. */
const DEEPEST = 4

/** Prefixes that only change how a command runs. */
const WRAPPERS = new Set([
  'sudo',
  'env',
  'time',
  'nohup',
  'exec',
  'command',
  'then',
  'do',
  'else',
  'if',
  'while',
  '!',
  '{',
])
const ASSIGNMENT = /^[A-Za-z_]\w*=/

/**
 * Splits a line at `&&`, `||`, `|`, `;`, line breaks and subshell brackets outside quotes; each command is followed by
 * those it runs. Comments are dropped. Never fails: an unclosed quote ends with the line.
 */
export function splitCommands(line: string, depth = 0): ShellCommand[] {
  const commands: ShellCommand[] = []
  let words: string[] = []
  let word: string | null = null
  let start = 0
  let quote: string | null = null
  let brackets = 0
  let substituted: string[] = []
  const endWord = () => {
    if (word !== null) words.push(word)
    word = null
  }
  const endCommand = (at: number) => {
    endWord()
    const text = line.slice(start, at).trim()
    const plain = withoutWrappers(words)
    if (plain.length > 0) commands.push({ text, words: plain })
    if (depth < DEEPEST) commands.push(...commandsIn(plain, text, substituted, depth + 1))
    words = []
    substituted = []
  }
  for (let i = 0; i < line.length; i++) {
    const sign = line[i]!
    const substitution = quote === "'" || line[i - 1] === '\\' ? null : substitutionAt(line, i)
    if (substitution !== null) {
      word = (word ?? '') + line.slice(i, substitution.end + 1)
      substituted.push(substitution.line)
      i = substitution.end
    } else if (quote !== null) {
      if (sign === quote) quote = null
      else word = (word ?? '') + sign
    } else if (sign === '"' || sign === "'") {
      quote = sign
      word ??= ''
    } else if (sign === '\\' && i + 1 < line.length) {
      word = (word ?? '') + line[++i]!
    } else if (sign === '|' || sign === ';' || sign === '\n' || (sign === '&' && line[i - 1] !== '>')) {
      endCommand(i)
      while (i + 1 < line.length && (line[i + 1] === sign || line[i + 1] === '&')) i++
      start = i + 1
    } else if (sign === '#' && word === null) {
      endCommand(i)
      while (i + 1 < line.length && line[i + 1] !== '\n') i++
      start = i + 1
    } else if ((sign === '(' && word === null) || (sign === ')' && brackets > 0)) {
      endCommand(i)
      brackets += sign === '(' ? 1 : -1
      start = i + 1
    } else if (sign === ' ' || sign === '\t') {
      endWord()
    } else {
      word = (word ?? '') + sign
    }
  }
  endCommand(line.length)
  return commands
}

/** The commands these words run: arguments of launchers, and lines in `$(...)`. */
function commandsIn(
  words: readonly string[],
  text: string,
  substituted: readonly string[],
  depth: number,
): ShellCommand[] {
  const found: ShellCommand[] = []
  const lines = [...substituted]
  let inner = innerOf(words)
  while (inner !== null && 'words' in inner && found.length < DEEPEST) {
    const plain = withoutWrappers(inner.words)
    found.push({ text, words: plain, inner: true })
    inner = innerOf(plain)
  }
  if (inner !== null && 'line' in inner) lines.push(inner.line)
  const deeper = lines.flatMap((line) => splitCommands(line, depth))
  return [...found, ...deeper.map((command) => ({ ...command, inner: true as const }))]
}

function withoutWrappers(words: readonly string[]): string[] {
  let first = 0
  // With options it is more than a prefix: `innerOf` knows which of them take a value.
  const isPrefix = (word: string, next: string) =>
    ASSIGNMENT.test(word) || (WRAPPERS.has(word) && !next.startsWith('-'))
  while (first < words.length - 1 && isPrefix(words[first]!, words[first + 1]!)) first++
  return words.slice(first)
}
