import { findClaude } from './find-claude.ts'

/** Options of Claude Code that take no value, so a word after one is the prompt. */
const FLAGS = new Set(['-p', '--print', '-c', '--continue', '--verbose', '--dangerously-skip-permissions', '--'])

/** What a command line asks its agent to do. For Claude Code, its prompt, or null if it comes later; for any other program, the command itself. */
export function findPrompt(command: readonly string[]): string | null {
  const claude = findClaude(command)
  if (claude === null) return command.join(' ')
  const words = command.slice(claude + 1)
  const isPrompt = (word: string, at: number) => {
    const before = words[at - 1]
    return !word.startsWith('-') && (before === undefined || FLAGS.has(before) || /^--[\w-]+=/.test(before))
  }
  return words.find(isPrompt) ?? null
}
