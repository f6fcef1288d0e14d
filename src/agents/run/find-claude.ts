interface Wrapper {
  /** Options that take a value. */
  values?: readonly string[]
  /** Words allowed between the options and the program. */
  operands?: number
  /** The only first words with which it starts a program. */
  commands?: readonly string[]
  /** Options that change what the command does. */
  never?: readonly string[]
}

const PACKAGES: Wrapper = { values: ['-p', '--package', '-w', '--workspace'], never: ['-c', '--call'] }
const MANAGER: Wrapper = { ...PACKAGES, commands: ['exec', 'x', 'dlx'] }
const TIMEOUT: Wrapper = { values: ['-k', '--kill-after', '-s', '--signal'], operands: 1 }

/** Wrappers after which the program sees the same files as the same user. Not sudo, ssh or docker. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  timeout: TIMEOUT,
  gtimeout: TIMEOUT,
  env: { values: ['-u', '--unset', '-C', '--chdir'], never: ['-S', '--split-string'] },
  nice: { values: ['-n', '--adjustment'] },
  ionice: { values: ['-c', '--class', '-n', '--classdata'], never: ['-p', '--pid'] },
  taskset: { operands: 1, never: ['-p', '--pid'] },
  stdbuf: { values: ['-i', '--input', '-o', '--output', '-e', '--error'] },
  time: { values: ['-f', '--format', '-o', '--output'] },
  nohup: {},
  setsid: {},
  exec: {},
  command: { never: ['-v', '-V'] },
  npx: PACKAGES,
  bunx: PACKAGES,
  pnpx: PACKAGES,
  npm: MANAGER,
  pnpm: MANAGER,
  yarn: MANAGER,
  bun: MANAGER,
  node: { values: ['-r', '--require', '--import'], never: ['-e', '--eval', '-p', '--print'] },
}
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash'])
const PROGRAM = /(?:^|[\\/])claude(?:\.exe|\.cmd)?$/
const PACKAGE = /^@anthropic-ai\/claude-code(?:@[^/]*)?$|[\\/]claude-code[\\/]cli\.js$/

/** Index of the word that starts Claude Code, also after wrappers; null if there is none. */
export function findClaude(words: readonly string[]): number | null {
  return findStarted(words, (word, at) => PROGRAM.test(word) || (at > 0 && PACKAGE.test(word)))
}

/** Whether Claude Code is named where it could be started: as a word of the command line, or in the script of a `-c` or `-e`. */
export function namesClaude(words: readonly string[]): boolean {
  if (findClaude(words) !== null) return true
  return words.some(
    (word, at) => PROGRAM.test(word) || (/^-\w*[ce]$/.test(words[at - 1] ?? '') && IN_SCRIPT.test(word)),
  )
}

const IN_SCRIPT = /(?:^|[\s"'`/\\;&|(=])claude(?:\.exe|\.cmd)?(?:$|[\s"'`;&|),])/

/** The script of a shell, as in `bash -lc SCRIPT`; null if there is none. */
export function findScript(words: readonly string[]): { at: number; isLogin: boolean } | null {
  const shell = findStarted(words, (word) => SHELLS.has(nameOf(word)))
  if (shell === null) return null
  const end = words.findIndex((word, at) => at > shell && !/^[-+]/.test(word))
  const options = words.slice(shell + 1, end < 0 ? undefined : end)
  const isLogin = options.some((word) => word === '--login' || /^-[a-z]*l/.test(word))
  return end > 0 && options.some((word) => /^-[a-z]*c/.test(word)) ? { at: end, isLogin } : null
}

/** The requested program, after any number of wrappers. */
function findStarted(words: readonly string[], isWanted: (word: string, at: number) => boolean): number | null {
  for (let at: number | null = 0; at !== null && at < words.length; ) {
    const word = words[at]!
    if (isWanted(word, at)) return at
    const name = nameOf(word)
    at = Object.hasOwn(WRAPPERS, name) ? skip(words, at + 1, WRAPPERS[name]!) : null
  }
  return null
}

/** The program of a command line, if that is Claude Code. Null if it is not, or if a shell resolves it. */
export function claudeProgram(command: readonly string[]): string | null {
  const at = findClaude(command)
  return at !== null && PROGRAM.test(command[at]!) ? command[at]! : null
}

function nameOf(word: string): string {
  return word.replace(/^.*[\\/]/, '').replace(/\.exe$/, '')
}

/** Index of the wrapped command's first word; null if there is none. */
function skip(words: readonly string[], start: number, wrapper: Wrapper): number | null {
  const { values = [], operands = 0, commands, never = [] } = wrapper
  let left = operands + (commands ? 1 : 0)
  for (let at = start; at < words.length; at++) {
    const word = words[at]!
    if (word === '--' && left === 0) return at + 1
    if (word.startsWith('-')) {
      if (never.some((option) => word === option || word.startsWith(`${option}=`))) return null
      if (values.includes(word)) at++
    } else if (!/^[A-Za-z_]\w*=/.test(word)) {
      if (left === 0) return at
      if (commands && left === 1 && !commands.includes(word)) return null
      left--
    }
  }
  return null
}
