import type { Help } from 'commander'
import { wrapTo } from './display-width.ts'
import { exitCodes } from './exit-codes.ts'
import { shell } from './shell.ts'

/** Longer lines are hard to read on any terminal. */
const WIDEST = 100

export function helpWidth(): number {
  const { isTTY, columns = 80 } = shell().stdout
  return isTTY ? Math.min(columns, WIDEST) : 80
}

export const HELP: Partial<Help> = {
  showGlobalOptions: true,
  argumentDescription({ argChoices, description }) {
    return argChoices === undefined ? description : `${description}: ${argChoices.join(', ')}`
  },
  optionDescription(option) {
    const { argChoices, defaultValue, description } = option
    const values = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`
    const usual =
      typeof defaultValue === 'string' || typeof defaultValue === 'number' ? ` (default: ${defaultValue})` : ''
    return `${description}${values}${usual}`
  },
}

/** Wraps paragraphs at the terminal's width. Indented lines stay as they are: they are examples or lists. */
export function wrapHelp(text: string): string {
  return text.replace(/(?<=^|\n)(?! |\n)[^\n]+(?:\n(?! |\n)[^\n]+)*/g, (paragraph) =>
    wrapTo(paragraph.replaceAll('\n', ' '), helpWidth()),
  )
}

export function describeExitCodes(): string {
  const indent = ' '.repeat(7)
  const lines = exitCodes().map(({ code, meaning }) => `  ${code.padEnd(5)}${wrapTo(meaning, helpWidth(), indent)}`)
  return ['Exit codes:', ...lines].join('\n')
}
