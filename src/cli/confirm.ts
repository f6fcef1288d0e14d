import { createInterface } from 'node:readline/promises'
import { invalidInput } from '../model/errors.ts'
import { typedWith } from './command-line.ts'
import { toTerminalText } from './output.ts'
import { shell } from './shell.ts'

/**
 * Confirms a destructive action: `--yes`, or a yes on the terminal. If nobody can be asked, it is an error
 * that says how to agree: a script must not do by default what a person is asked about.
 */
export async function agree(question: string, { yes }: { yes?: boolean }): Promise<boolean> {
  if (yes) return true
  if (shell().stdin.isTTY) return confirm(question)
  throw invalidInput('yes', `${question} There is no terminal to ask on. Confirm with --yes.`, {
    hint: typedWith('--yes'),
  })
}

/** Asks a yes-or-no question on the terminal. Any other answer than yes, and Ctrl-C, means no. */
export async function confirm(question: string): Promise<boolean> {
  const { stdin, stderr } = shell()
  const terminal = createInterface({ input: stdin, output: stderr })
  try {
    const interrupted = new Promise<string>((resolve) => terminal.once('SIGINT', () => resolve('')))
    const answer = await Promise.race([terminal.question(toTerminalText(`${question} [y/N] `)), interrupted])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
