import type { Command } from 'commander'
import { write } from '../output.ts'
import { candidatesFor } from './candidates.ts'
import { readNames } from './stored-names.ts'

/** `nokosu complete -- WORDS`: called by a shell when Tab is pressed. The last word is the one being typed. */
export async function complete(program: Command, args: readonly string[]): Promise<void> {
  const words = args.slice(args.indexOf('--') + 1)
  const candidates = await candidatesFor(program, words, readNames)
  const lines = candidates.map(({ word, about }) => `${word}\t${about.replace(/\s+/g, ' ')}\n`)
  await write(lines.join(''))
}
