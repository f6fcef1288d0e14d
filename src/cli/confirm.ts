import { createInterface } from 'node:readline/promises'
import { toTerminalText } from './output.ts'
import { shell } from './shell.ts'

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
