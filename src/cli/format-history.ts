import type { Memory } from '../model/memory.ts'
import type { Change } from '../model/records.ts'
import { diffWords, type Piece } from '../text/word-diff.ts'
import { paint, usesColour } from './output.ts'
import { shell } from './shell.ts'

/** Fields that are not worth a mention when they change, and the text, which is shown itself. */
const UNREMARKABLE: readonly (keyof Memory)[] = ['version', 'updatedAt', 'decayedWeeks', 'content']

/** Each change: when, what and by whom; then the words that changed, and every other field with what it was. */
export function formatChanges(changes: readonly Change[]): string {
  let before: Memory | null = null
  const blocks: string[] = []
  for (const [i, change] of changes.entries()) {
    blocks.push(formatChange(change, before, changes[i - 1]?.operation === 'delete'))
    before = change.after ?? before
  }
  return blocks.join('\n')
}

function formatChange({ version, operation, at, by, after }: Change, before: Memory | null, wasGone: boolean): string {
  const name = operation === 'create' && wasGone ? 'undelete' : operation
  const line = `${paint('dim', at)}  v${version}  ${name} ${paint('dim', `by ${by}`)}`
  if (after === null) return line
  const fields = (Object.keys(after) as (keyof Memory)[]).filter(
    (key) => before !== null && differs(key, before, after),
  )
  return [
    line,
    ...formatText(before?.content ?? null, after.content),
    ...fields.map((key) => `    ${paint('dim', key)} ${show(before![key])} → ${show(after[key])}`),
  ].join('\n')
}

function formatText(before: string | null, after: string): string[] {
  if (before === after) return []
  const text = before === null ? after : formatDiff(diffWords(before, after))
  return [`    ${text.replaceAll('\n', '\n    ')}`]
}

/** In colour where there is colour, else `[-old-]{+new+}`. */
export function formatDiff(pieces: readonly Piece[]): string {
  const colour = usesColour(shell().stdout)
  const mark = (kind: 'old' | 'new', text: string) => {
    if (text === '') return ''
    if (colour) return paint(kind === 'old' ? 'removed' : 'added', text)
    return kind === 'old' ? `[-${text}-]` : `{+${text}+}`
  }
  return pieces
    .map(({ kind, text }, i) => {
      if (kind === 'same') return text
      // The space behind a word is no part of what changed.
      const word = text.trimEnd()
      const space = pieces[i + 1]?.kind === 'new' ? (colour ? ' ' : '') : text.slice(word.length)
      return `${mark(kind, word)}${space}`
    })
    .join('')
}

function differs(key: keyof Memory, before: Memory, after: Memory): boolean {
  return !UNREMARKABLE.includes(key) && JSON.stringify(before[key]) !== JSON.stringify(after[key])
}

function show(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ') || 'none'
  return value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
}
