import { innerOf } from './inner-commands.ts'
import { substitutionAt } from './substitution.ts'

/** A part of a command line that is run by itself: `git push`, of `git add -A && git push`. */
export interface ShellCommand {
  /** As it stands in the line. */
  text: string
  /** Without quotes, without variables set in front, and without `sudo` and the like. */
  words: string[]
  /** Run by another command of the line: by `timeout`, `ssh` or `bash -c`, or in `$(...)`. */
  inner?: true
}

/** Commands in commands that are read: a line can be made to hold many. */
const DEEPEST = 4

/** What only changes how the command behind it runs. */
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
 * The commands of a line, cut at `&&`, `||`, `|`, `;`, line breaks and the brackets of a subshell outside quotes, each followed by what it
 * runs. Comments are left out. Never fails: half a quote ends with the line.
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

/** What the command of these words runs: whatever it starts, and the lines in its `$(...)`. */
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
  // With options of its own it is more than a prefix: `innerOf` knows which of them take a value.
  const isPrefix = (word: string, next: string) =>
    ASSIGNMENT.test(word) || (WRAPPERS.has(word) && !next.startsWith('-'))
  while (first < words.length - 1 && isPrefix(words[first]!, words[first + 1]!)) first++
  return words.slice(first)
}
