import { isAssignment } from './shell-script.ts'

/** Where Claude Code is in a command line: its own word, or a shell's script that has to be looked into. */
export type Found = { at: number } | { script: number }

/** How a program that starts another one is called. */
interface Wrapper {
  /** Options with a value of their own. */
  values?: readonly string[]
  /** Words between the options and the program. */
  operands?: number
  /** The only first words with which it starts a program. */
  commands?: readonly string[]
  /** Options by which it becomes something else. */
  never?: readonly string[]
}

const PACKAGES: Wrapper = { values: ['-p', '--package', '-w', '--workspace'], never: ['-c', '--call'] }
const MANAGER: Wrapper = { ...PACKAGES, commands: ['exec', 'x', 'dlx'] }
const TIMEOUT: Wrapper = { values: ['-k', '--kill-after', '-s', '--signal'], operands: 1 }

/** Those behind which the program sees the same files as the same user. Not so: sudo, ssh, docker. */
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

/** Words are null where only a shell knows them. */
export function findClaude(words: readonly (string | null)[]): Found | null {
  for (let at: number | null = 0; at !== null && at < words.length; ) {
    const word = words[at]!
    if (word === null) return null
    if (PROGRAM.test(word) || (at > 0 && PACKAGE.test(word))) return { at }
    const name = nameOf(word)
    if (SHELLS.has(name)) return findScript(words, at)
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name]! : null
    at = wrapper && skip(words, at + 1, wrapper)
  }
  return null
}

/** The program that a command line starts, where that is Claude Code; null where it is not, or only a shell knows. */
export function claudeProgram(command: readonly string[]): string | null {
  const found = findClaude(command)
  const word = found !== null && 'at' in found ? command[found.at]! : ''
  return PROGRAM.test(word) ? word : null
}

/** Whether a word that is no option's value names Claude Code: then it is most likely started, by something we do not know. */
export function mentionsClaude(words: readonly (string | null)[]): boolean {
  const starts = ['sudo', 'doas', 'xargs', 'env'].includes(nameOf(words[0] ?? ''))
  return words.some((word, at) => {
    const [first = ''] = (word ?? '').split(/\s/)
    const before = words[at - 1] ?? ''
    return (PROGRAM.test(first) || PACKAGE.test(first)) && (starts || before === '--' || !before.startsWith('-'))
  })
}

function nameOf(word: string): string {
  return word.replace(/^.*[\\/]/, '').replace(/\.exe$/, '')
}

/** The word at which the wrapped command begins; null when there is none. */
function skip(words: readonly (string | null)[], start: number, wrapper: Wrapper): number | null {
  const { values = [], operands = 0, commands, never = [] } = wrapper
  let left = operands + (commands ? 1 : 0)
  for (let at = start; at < words.length; at++) {
    const word = words[at]!
    if (word === '--' && left === 0) return at + 1
    if (word?.startsWith('-')) {
      if (never.some((option) => word === option || word.startsWith(`${option}=`))) return null
      if (values.includes(word)) at++
    } else if (!isAssignment(word)) {
      if (left === 0) return at
      if (commands && left === 1 && !commands.includes(word ?? '')) return null
      left--
    }
  }
  return null
}

/** The script behind `-c`, also in `-lc`. */
function findScript(words: readonly (string | null)[], shell: number): Found | null {
  for (let at = shell + 1; at < words.length; at++) {
    const word = words[at]!
    if (word === null || !/^[-+]/.test(word)) return null
    if (/^-[a-z]*c[a-z]*$/.test(word)) return at + 1 < words.length ? { script: at + 1 } : null
    if (/^[-+]o$/.test(word)) at++
  }
  return null
}
