import { createHash } from 'node:crypto'
import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import type { Config } from '../config/load-config.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import type { Category } from '../model/categories.ts'
import { MemoryError } from '../model/errors.ts'
import type { Identifiers, Layer } from '../model/layer.ts'
import type { Outcome } from '../model/outcome.ts'
import { type MarkdownNotes, readMarkdown } from '../transfer/read-markdown.ts'
import { confirm } from './confirm.ts'
import { countOutcomes, formatOutcome, isHeld, noteHeld } from './format-outcome.ts'
import { defaultLayer, type IdentifierOptions, readOwner } from './identifiers.ts'
import { type GlobalOptions, withEngine } from './open-engine.ts'
import { countOf, note, paint, printJson, printLine } from './output.ts'
import { shell } from './shell.ts'

export interface MarkdownOptions extends GlobalOptions, IdentifierOptions {
  category?: Category
  dryRun?: boolean
  yes?: boolean
}

interface Report extends Pick<MarkdownNotes, 'leftOut'> {
  file: string
  stored: boolean
  items: { line: number; outcome: Outcome }[]
}

export async function importMarkdown(file: string, text: string, options: MarkdownOptions): Promise<void> {
  const notes = readMarkdown(text)
  if (options.yes) return tell(await take(file, notes, options, true), options)
  const planned = await take(file, notes, options, false)
  await tell(planned, options)
  if (options.dryRun || !planned.items.some(({ outcome }) => changes(outcome))) return
  if (!shell().stdin.isTTY) {
    throw new MemoryError('INVALID_INPUT', 'Nothing was stored. Store this with --yes; --dry-run only shows it.')
  }
  if (!(await confirm('Store them as shown?'))) return note('Nothing was stored.')
  await summarize(await take(file, notes, options, true))
}

function take(file: string, notes: MarkdownNotes, options: MarkdownOptions, store: boolean): Promise<Report> {
  return withEngine(options, store ? 'write' : 'read', async (engine, config) => {
    const layer = defaultLayer(options, config)
    const identifiers = readOwner(options, config)
    const name = nameOf(file, config)
    const session = sessionOf(name, layer, identifiers)
    const outcomes = await engine.remember(
      notes.items.map(({ text, heading, line }) => ({
        content: text,
        category: options.category ?? 'learning',
        tags: heading === null ? [] : [heading],
        anchor: `file:${name}:${line}`,
      })),
      { layer, identifiers, session, source: 'manual', tier: 0, dryRun: !store },
    )
    if (store && outcomes.length > 0) await endImport(engine, session, identifiers)
    const items = outcomes.map((outcome, i) => ({ line: notes.items[i]!.line, outcome }))
    return { file: name, stored: store, items, leftOut: notes.leftOut }
  })
}

/** From the project's folder on, so that it is the same file wherever the command is given. */
function nameOf(file: string, { root }: Config): string {
  if (file === '-') return 'standard input'
  const path = relative(root, resolve(shell().cwd, file))
  return path.startsWith('..') || isAbsolute(path) ? basename(file) : path.split(sep).join('/')
}

/** Of one file for one owner: it says the same words once, however often it is imported. */
function sessionOf(name: string, layer: Layer, identifiers: Identifiers): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([name, layer, identifiers]))
    .digest('hex')
  return `import:${digest.slice(0, 12)}:${basename(name).slice(0, 80)}`
}

async function endImport(engine: Nokosu, session: string, { agentId, projectId }: Identifiers): Promise<void> {
  await engine.endSession(session, {
    ...(agentId === undefined ? {} : { agent: agentId }),
    ...(projectId === undefined ? {} : { project: projectId }),
    outcome: 'imported',
  })
}

function changes({ kind }: Outcome): boolean {
  return kind !== 'duplicate' && kind !== 'refuse'
}

async function tell(report: Report, { json }: MarkdownOptions): Promise<void> {
  if (report.items.some(({ outcome }) => outcome.kind === 'refuse')) shell().exitCode = 1
  if (json) return printJson(report)
  for (const { line, outcome } of report.items) await printLine(formatItem(`${report.file}:${line}`, outcome))
  await summarize(report)
}

function formatItem(place: string, outcome: Outcome): string {
  return formatOutcome(outcome, `${outcome.content}  ${paint('dim', place)}`, whyOf(outcome))
}

/** That an item is new, or that the file has said it before, needs no words, unless one would look for it in vain. */
function whyOf(outcome: Outcome): string | null {
  if (outcome.kind === 'insert' && !isHeld(outcome)) return null
  if (outcome.kind !== 'duplicate' || outcome.review !== undefined) return outcome.reason
  return outcome.memory === null ? 'imported before; it is held for review, or was changed or deleted since' : null
}

async function summarize({ items, stored, leftOut, file }: Report): Promise<void> {
  const outcomes = items.map(({ outcome }) => ({ kind: outcome.kind, held: isHeld(outcome) }))
  const changed = items.some(({ outcome }) => changes(outcome))
  const verb = changed ? (stored ? 'Stored' : 'Would store') : 'Nothing to store'
  const lead = items.length === 0 ? `No list item in ${file}` : `${verb}: ${countOutcomes(outcomes).join(', ')}`
  await printLine(`${lead}.${leftOutText(leftOut)}`)
  if (stored) noteHeld(outcomes.filter(({ held }) => held).length)
}

function leftOutText({ codeBlocks, tables, paragraphs, lists }: Report['leftOut']): string {
  const counts = [
    [codeBlocks, 'code block', 'code blocks'],
    [tables, 'table', 'tables'],
    [lists, 'quoted or HTML list', 'quoted or HTML lists'],
    [paragraphs, 'paragraph', 'paragraphs'],
  ] as const
  const parts = counts.filter(([count]) => count > 0).map(([count, one, many]) => countOf(count, one, many))
  return parts.length === 0 ? '' : ` Skipped (not list items): ${parts.join(', ')}.`
}
