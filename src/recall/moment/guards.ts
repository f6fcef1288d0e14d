import { GUARDS } from '../../model/guards.ts'
import type { Memory } from '../../model/memory.ts'
import type { Scene } from './scene.ts'

/** Limit per memory, since anybody can write tags. */
const MOST_PATTERNS = 8
const MOST_CHARACTERS = 400

/** The pattern by which a memory guards this action; null if none matches. */
export function guardOf({ tags }: Pick<Memory, 'tags'>, scene: Scene): string | null {
  if (scene.kind !== 'tool') return null
  const patterns = tags.filter((tag) => tag.startsWith(GUARDS)).map((tag) => tag.slice(GUARDS.length).trim())
  return patterns.slice(0, MOST_PATTERNS).find((pattern) => pattern !== '' && isMet(pattern, scene)) ?? null
}

/** Matches a tool by name, a file by its path or folder, and a command by its words in order, with gaps allowed. */
function isMet(pattern: string, { tool, commands, paths }: Scene): boolean {
  const words = pattern.split(/\s+/)
  if (paths.some((path) => isPath(pattern, path))) return true
  if (words.length > 1) return commands.some(({ words: said }) => isCommand(words, said))
  if (tool !== null && matches(pattern, tool)) return true
  const isFile = /[./]/.test(pattern)
  return commands.some(
    ({ words: said }) => isCommand(words, said) || (isFile && said.some((each) => isPath(pattern, each))),
  )
}

function isCommand([program, ...rest]: readonly string[], [run, ...said]: readonly string[]): boolean {
  if (!matches(program!, run!) && !matches(program!, run!.replace(/^.*\//, ''))) return false
  let next = 0
  for (const word of said) if (next < rest.length && matches(rest[next]!, word)) next++
  return next === rest.length
}

function isPath(pattern: string, path: string): boolean {
  const own = `*/${pattern.replace(/^\.?\//, '').replace(/\/$/, '')}`
  const at = `/${path}`
  return matches(own, at) || matches(`${own}/*`, at)
}

/** Matches a pattern with `*` wildcards, in time proportional to both lengths. */
function matches(pattern: string, whole: string): boolean {
  const text = whole.slice(-MOST_CHARACTERS)
  let [p, t, star, from] = [0, 0, -1, 0]
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++
      from = t
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++from
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
