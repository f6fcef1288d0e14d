import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** A fenced block of a document. */
export interface Sample {
  file: string
  /** Line of the fence, from 1. */
  line: number
  language: string
  code: string
}

/** A command that a reader types, and its documented output. */
export interface Typed {
  line: number
  command: string
  prints: string[]
}

export function samplesOf(file: string): Sample[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  // One in a list is indented.
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].map((found) => ({
    file,
    line: text.slice(0, found.index).split('\n').length,
    language: found[2]!,
    code: found[3]!.replaceAll(new RegExp(`^${found[1]}`, 'gm'), ''),
  }))
}

/** In a `console` block the lines after `$`, with the following lines as output; in a `sh` block every line. */
export function typedIn({ language, code, line }: Sample): Typed[] {
  const typed: Typed[] = []
  const lines = code.replace(/\\\n/g, '\\\u0000').split('\n')
  let at = line
  for (const each of lines) {
    at++
    const text = each.replaceAll('\u0000', '\n')
    const command = language === 'sh' ? text : /^\$ (.+)$/s.exec(text)?.[1]
    if (command !== undefined && command.trim() !== '') typed.push({ line: at, command, prints: [] })
    else if (language === 'console' && text.trim() !== '' && text !== '...') typed.at(-1)?.prints.push(text)
    at += text.split('\n').length - 1
  }
  return typed
}
