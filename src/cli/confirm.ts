import { createInterface } from 'node:readline/promises'

/** Asks a yes-or-no question on the terminal; anything but yes, Ctrl-C included, is no. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const interrupted = new Promise<string>((resolve) => terminal.once('SIGINT', () => resolve('')))
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), interrupted])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
