import { createInterface } from 'node:readline/promises'
import { toTerminalText } from './output.ts'
import { shell } from './shell.ts'

/** Asks on the terminal which items of a numbered list to take. Ctrl-C and an empty answer mean none. */
export async function pick<Item>(items: readonly Item[]): Promise<Item[]> {
  const { stdin, stderr } = shell()
  const terminal = createInterface({ input: stdin, output: stderr })
  let isClosed = false
  terminal.once('close', () => {
    isClosed = true
  })
  try {
    while (!isClosed) {
      const question = 'Store which? all, none, or numbers such as 1 3-5; -2 for all but 2: '
      const interrupted = new Promise<string>((resolve) => {
        terminal.once('SIGINT', () => resolve('none')).once('close', () => resolve('none'))
      })
      const answer = await Promise.race([terminal.question(toTerminalText(question)), interrupted])
      const numbers = readPicks(answer, items.length)
      if (numbers !== null) return items.filter((_, i) => numbers.has(i + 1))
    }
    return []
  } finally {
    terminal.close()
  }
}

/** The numbers in an answer; null if it is invalid. Only numbers with a minus mean all but these. */
export function readPicks(answer: string, count: number): Set<number> | null {
  const words = answer
    .trim()
    .toLowerCase()
    .split(/[\s,]+/)
  const all = Array.from({ length: count }, (_, i) => i + 1)
  if (words.length === 1 && /^(?:|n|no|none)$/.test(words[0]!)) return new Set()
  if (words.length === 1 && /^(?:a|all|y|yes)$/.test(words[0]!)) return new Set(all)
  const picked = new Set(words.every((word) => word.startsWith('-')) ? all : [])
  for (const word of words) {
    const [, minus, from, to = from] = /^(-?)(\d+)(?:-(\d+))?$/.exec(word) ?? []
    const [first, last] = [Number(from), Number(to)]
    if (from === undefined || first < 1 || last > count || first > last) return null
    for (let number = first; number <= last; number++) minus ? picked.delete(number) : picked.add(number)
  }
  return picked
}
