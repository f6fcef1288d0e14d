/**
 * The command inside a command: `kubectl delete` in `sudo timeout 5 kubectl delete`, or a line for a shell to parse.
 */
export type Inner = { words: string[] } | { line: string }

/** Programs that run their arguments: options that take a value, and the number of own arguments first. */
const LAUNCHERS: Partial<Record<string, { valued: string; own: number }>> = {
  doas: { valued: 'Cu', own: 0 },
  env: { valued: 'uCS', own: 0 },
  exec: { valued: 'a', own: 0 },
  ionice: { valued: 'cn', own: 0 },
  nice: { valued: 'n', own: 0 },
  setsid: { valued: '', own: 0 },
  ssh: { valued: 'BbcDEeFIiJLlmOoPpQRSWw', own: 1 },
  stdbuf: { valued: 'ieo', own: 0 },
  sudo: { valued: 'CDghpRrTtUu', own: 0 },
  time: { valued: 'fo', own: 0 },
  timeout: { valued: 'ks', own: 1 },
  watch: { valued: 'n', own: 0 },
  xargs: { valued: 'adEILnPs', own: 0 },
}
const SHELLS = new Set(['bash', 'dash', 'fish', 'ksh', 'sh', 'su', 'zsh'])
/** They pass a line to a shell, which parses quotes and `;` again. */
const READ_AGAIN = new Set(['ssh', 'watch', 'eval'])

/** The command it runs directly; null if it runs nothing else. */
export function innerOf([program = '', ...rest]: readonly string[]): Inner | null {
  const name = program.replace(/^.*\//, '')
  if (SHELLS.has(name)) {
    const at = rest.findIndex((word) => /^-[a-z]*c$/.test(word))
    return at < 0 ? null : { line: rest.slice(at + 1).join(' ') }
  }
  if (name === 'find') {
    const at = rest.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word))
    return at < 0 ? null : behind(rest.slice(at + 1))
  }
  if (name === 'eval') return { line: rest.join(' ') }
  const launcher = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined
  if (launcher === undefined) return null
  const words = withoutOptions(rest, launcher.valued).slice(launcher.own)
  return READ_AGAIN.has(name) ? { line: words.join(' ') } : behind(words)
}

function behind(words: readonly string[]): Inner | null {
  return words.length === 0 ? null : { words: [...words] }
}

function withoutOptions(words: readonly string[], valued: string): string[] {
  let at = 0
  while (at < words.length && /^-./.test(words[at]!)) {
    const option = words[at++]!
    if (option === '--') break
    if (/^-[A-Za-z]$/.test(option) && valued.includes(option[1]!)) at++
  }
  return words.slice(at)
}
