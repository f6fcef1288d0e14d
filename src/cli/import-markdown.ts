import { createHash } from 'node:crypto'
import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import type { Config } from '../config/load-config.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import type { Identifiers, Layer } from '../model/layer.ts'
import type { Category } from '../model/memory.ts'
import type { Outcome } from '../model/outcome.ts'
import { type MarkdownNotes, readMarkdown } from '../transfer/read-markdown.ts'
import { confirm } from './confirm.ts'
import { isHeld, noteHeld } from './held.ts'
import { type IdentifierOptions, nearestLayer, readIdentifiers, readOwner } from './identifiers.ts'
import { type GlobalOptions, withEngine } from './open-engine.ts'
import { countOf, note, paint, printJson, printLine, type Style } from './output.ts'
import { shell } from './shell.ts'

export interface MarkdownOptions extends GlobalOptions, IdentifierOptions {
  category?: Category
  dryRun?: boolean
  yes?: boolean
}

/** What became, or would become, of each item. */
interface Report extends Pick<MarkdownNotes, 'leftOut'> {
  file: string
  stored: boolean
  items: { line: number; outcome: Outcome }[]
}

/** Shows what would be stored, asks, and stores it. */
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
    const layer = nearestLayer(readIdentifiers(options)) ?? 'project'
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

const VERBS: Record<Outcome['kind'], { verb: string; style: Style }> = {
  insert: { verb: 'new', style: 'green' },
  reinforce: { verb: 'surer', style: 'cyan' },
  contradict: { verb: 'corrects', style: 'yellow' },
  duplicate: { verb: 'known', style: 'dim' },
  refuse: { verb: 'refused', style: 'red' },
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

const INDENT = ' '.repeat(10)

function formatItem(place: string, outcome: Outcome): string {
  const held = isHeld(outcome)
  const { verb, style } = held ? { verb: 'held', style: 'yellow' as const } : VERBS[outcome.kind]
  const lead = `${paint(style, verb.padEnd(8))}  ${outcome.content}  ${paint('dim', place)}`
  const details = outcome.kind === 'duplicate' ? whyKnown(outcome) : explain(outcome, held)
  return [lead, ...details.map((detail) => `${INDENT}${detail}`)].join('\n')
}

/** That the file has said it before needs no words, unless one would look for it in vain. */
function whyKnown({ memory, review, reason }: Extract<Outcome, { kind: 'duplicate' }>): string[] {
  if (review !== undefined) return [paint('dim', reason)]
  if (memory !== null) return []
  return [paint('dim', 'imported before; it is held for review, or was changed or deleted since')]
}

function explain(outcome: Exclude<Outcome, { kind: 'duplicate' }>, held: boolean): string[] {
  const weakened = 'weakened' in outcome ? outcome.weakened : []
  const secrets = outcome.redactions.reduce((sum, { count }) => sum + count, 0)
  return [
    ...(outcome.kind === 'insert' && !held ? [] : [paint('dim', outcome.reason)]),
    ...weakened.map(({ content, confidence }) => paint('yellow', `less sure (${confidence}): ${content}`)),
    ...(secrets === 0 ? [] : [paint('yellow', `${countOf(secrets, 'secret', 'secrets')} taken out`)]),
  ]
}

async function summarize({ items, stored, leftOut, file }: Report): Promise<void> {
  const held = items.filter(({ outcome }) => isHeld(outcome)).length
  const count = (kind: Outcome['kind']) => items.filter(({ outcome }) => outcome.kind === kind).length
  const parts: [number, string][] = [
    [count('insert') - held, 'new'],
    [count('reinforce'), 'surer'],
    [count('contradict'), 'that correct others'],
    [count('duplicate'), 'known already'],
    [held, 'held for review'],
    [count('refuse'), 'refused'],
  ]
  const said = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  const changed = items.some(({ outcome }) => changes(outcome))
  const verb = changed ? (stored ? 'Stored' : 'Would store') : 'Nothing to store'
  const lead = items.length === 0 ? `No list item in ${file}` : `${verb}: ${said.join(', ')}`
  await printLine(`${lead}.${leftOutText(leftOut)}`)
  if (stored) noteHeld(held)
}

function leftOutText({ codeBlocks, tables, paragraphs, lists }: Report['leftOut']): string {
  const parts = [
    ...(codeBlocks === 0 ? [] : [countOf(codeBlocks, 'code block', 'code blocks')]),
    ...(tables === 0 ? [] : [countOf(tables, 'table', 'tables')]),
    ...(lists === 0 ? [] : [countOf(lists, 'quoted or HTML list', 'quoted or HTML lists')]),
    ...(paragraphs === 0 ? [] : [countOf(paragraphs, 'paragraph', 'paragraphs')]),
  ]
  return parts.length === 0 ? '' : ` Left out, being no list items: ${parts.join(', ')}.`
}
