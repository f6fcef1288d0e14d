/** One word of a script, as the shell would read it. */
export interface ShellWord {
  /** Null where only the shell knows: a variable, a substitution, a pattern. */
  text: string | null
  start: number
  end: number
  /** The commands that it substitutes. */
  inner: string[]
}

const OPERATOR = /^(?:&&|\|\||;;|[;&|(){}\n]|!(?=\s))/
const KEYWORD = new Set(['if', 'then', 'elif', 'else', 'do', 'while', 'until', 'time', '{', '!'])
/** Places where words at the start of a line are no commands. What has them is not read. */
const UNREADABLE = /<<|(?:^|[\s;])(?:case|function)\s|\(\)/

/**
 * The simple commands of a shell script, each as its words, without assignments before it. Null for a script that is more than
 * a list of commands. It need not know all of the shell: what it does not understand is never a command of ours.
 */
export function readScript(script: string): ShellWord[][] | null {
  if (UNREADABLE.test(script)) return null
  const commands: ShellWord[][] = [[]]
  for (let at = 0; at < script.length; ) {
    const rest = script.slice(at)
    const operator = OPERATOR.exec(rest)?.[0]
    const space = /^(?:[ \t\r]|\\\n)+/.exec(rest)?.[0] ?? /^#[^\n]*/.exec(rest)?.[0]
    if (operator !== undefined) {
      commands.push([])
      at += operator.length
    } else if (space !== undefined) at += space.length
    else {
      const word = readWord(script, at)
      if (word === null) return null
      const current = commands.at(-1)!
      const isPrefix = current.length === 0 && (isAssignment(word.text) || KEYWORD.has(word.text ?? ''))
      if (!isPrefix || word.inner.length > 0) current.push(word)
      at = word.end
    }
  }
  return commands.filter((words) => words.length > 0)
}

export function isAssignment(word: string | null): boolean {
  return /^[A-Za-z_]\w*=/.test(word ?? '')
}

/** Null when a quote is never closed. */
function readWord(script: string, start: number): ShellWord | null {
  let text = ''
  let known = true
  let at = start
  const inner: string[] = []
  while (at < script.length && !/[\s;&|(){}]/.test(script[at]!)) {
    const rest = script.slice(at)
    const quoted = /^'([^']*)'|^"((?:[^"\\]|\\[\s\S])*)"/.exec(rest)
    const escaped = /^\\([\s\S])/.exec(rest)
    if (quoted) {
      text += quoted[1] ?? quoted[2]!.replace(/\\(["\\$`])/g, '$1')
      known &&= quoted[1] !== undefined || !/(?<!\\)[$`]/.test(quoted[2]!)
      if (quoted[2] !== undefined) inner.push(...substitutions(quoted[2]))
      at += quoted[0].length
    } else if (escaped) {
      text += escaped[1]
      at += 2
    } else if (/^['"]/.test(rest)) return null
    else {
      const variable = /^\$(?:\{[^}]*\}|\([^()]*\)|\w+|.)?|^`[^`]*`/.exec(rest)?.[0]
      known &&= variable === undefined && !/^[*?[~<>]/.test(rest)
      text += rest[0]
      inner.push(...substitutions(variable ?? ''))
      at += variable?.length || 1
    }
  }
  return { text: known ? text : null, start, end: at, inner }
}

function substitutions(text: string): string[] {
  return [...text.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map(([, dollar, tick]) => (dollar ?? tick)!)
}

export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
