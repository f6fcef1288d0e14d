import { execFile } from 'node:child_process'
import { claudeProgram, findClaude } from './find-claude.ts'

const FLAG = '--system-prompt-snapshot'
const PATIENCE_MS = 1500

/**
 * A resumed session keeps the system prompt of its first run, and thus old memories, unless Claude Code is told to rebuild
 * it. Older versions support neither option.
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
