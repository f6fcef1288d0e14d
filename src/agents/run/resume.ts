import { execFile } from 'node:child_process'
import { claudeProgram, findClaude } from './find-claude.ts'

const FLAG = '--system-prompt-snapshot'
const PATIENCE_MS = 1500

/**
 * A session that is resumed has the system prompt of its first run, and with it old memories, unless Claude Code is told to make
 * it anew. Older ones know neither.
 */
export async function renewSystemPrompt(
  command: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<string[]> {
  const resumes = command.some((word) => /^(?:-r|-c|--continue|--resume(?:=.*)?)$/.test(word))
  const program = claudeProgram(command)
  const found = findClaude(command)
  if (!resumes || program === null || found === null || command.includes(FLAG)) return [...command]
  const help = await new Promise<string>((done) => {
    execFile(program, ['--help'], { cwd, env, timeout: PATIENCE_MS }, (_, stdout) => done(stdout))
  })
  return help.includes(FLAG) ? command.toSpliced(found + 1, 0, FLAG, 'off') : [...command]
}
