import { escapeTerminal } from '../guard/escape.ts'
import { withoutBelief } from '../lifecycle/decisions.ts'
import type { Decided } from '../model/decision.ts'
import type { Memory } from '../model/memory.ts'
import type { Change } from '../model/records.ts'
import { tellDecision } from '../model/tell-decision.ts'
import { diffWords, type Piece } from '../text/word-diff.ts'
import { paint, usesColour } from './output.ts'
import { shell } from './shell.ts'

/** Fields whose changes are not worth listing, and the text, which is shown itself. */
const UNREMARKABLE: readonly (keyof Memory)[] = ['version', 'updatedAt', 'decayedWeeks', 'content']

export function formatChanges(changes: readonly Change[], decisions: readonly Decided[] = []): string {
  let before: Memory | null = null
  const blocks: string[] = []
  for (const [i, change] of changes.entries()) {
    const own = decisions.filter(({ version }) => version === change.version)
    blocks.push(formatChange(change, before, changes[i - 1]?.operation === 'delete'), ...own.map(formatDecision))
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

function formatDecision(decision: Decided): string {
  return `    ${paint('cyan', tellDecision(decision, escapeTerminal))}`
}

function formatText(before: string | null, after: string): string[] {
  if (before === after) return []
  const text = before === null ? after : formatDiff(diffWords(before, after))
  return [`    ${text.replaceAll('\n', '\n    ')}`]
}

/** In colour if available, otherwise `[-old-]{+new+}`. */
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
      // The space after a word is not part of the change.
      const word = text.trimEnd()
      const space = pieces[i + 1]?.kind === 'new' ? (colour ? ' ' : '') : text.slice(word.length)
      return `${mark(kind, word)}${space}`
    })
    .join('')
}

function differs(key: keyof Memory, before: Memory, after: Memory): boolean {
  if (UNREMARKABLE.includes(key)) return false
  const [old, now] = [before, after].map((memory) =>
    key === 'metadata' ? withoutBelief(memory.metadata) : memory[key],
  )
  return JSON.stringify(old) !== JSON.stringify(now)
}

function show(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ') || 'none'
  return value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
}
