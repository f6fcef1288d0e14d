/** A part of a command line that is run by itself: `git push`, of `git add -A && git push`. */
export interface ShellCommand {
  /** As it stands in the line. */
  text: string
  /** Without quotes, without variables set in front, and without `sudo` and the like. */
  words: string[]
}

/** What only changes how the command behind it runs. */
const WRAPPERS = new Set(['sudo', 'env', 'time', 'nohup', 'exec', 'command', 'then', 'do', 'else', 'if', 'while', '!'])
const ASSIGNMENT = /^[A-Za-z_]\w*=/

/** The commands of a line, cut at `&&`, `||`, `|`, `;` and line breaks outside quotes. Never fails: half a quote ends with the line. */
export function splitCommands(line: string): ShellCommand[] {
  const commands: ShellCommand[] = []
  let words: string[] = []
  let word: string | null = null
  let start = 0
  let quote: string | null = null
  const endWord = () => {
    if (word !== null) words.push(word)
    word = null
  }
  const endCommand = (at: number) => {
    endWord()
    const text = line.slice(start, at).trim()
    const plain = withoutWrappers(words)
    if (plain.length > 0) commands.push({ text, words: plain })
    words = []
  }
  for (let i = 0; i < line.length; i++) {
    const sign = line[i]!
    if (quote !== null) {
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
    } else if (sign === ' ' || sign === '\t') {
      endWord()
    } else {
      word = (word ?? '') + sign
    }
  }
  endCommand(line.length)
  return commands
}

function withoutWrappers(words: readonly string[]): string[] {
  let first = 0
  while (first < words.length - 1 && (WRAPPERS.has(words[first]!) || ASSIGNMENT.test(words[first]!))) first++
  return words.slice(first)
}
