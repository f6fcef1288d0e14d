import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { withoutPrivate } from '../capture/private.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import type { Category } from '../model/categories.ts'
import { MemoryError } from '../model/errors.ts'
import type { Identifiers } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Note } from '../transfer/note.ts'
import { confirm } from './confirm.ts'
import { countOutcomes, formatOutcome, isHeld, noteHeld } from './format-outcome.ts'
import { defaultLayer, type IdentifierOptions, readOwner } from './identifiers.ts'
import { type GlobalOptions, withEngine } from './open-engine.ts'
import { note, paint, printJson, printLine } from './output.ts'
import { pick } from './pick.ts'
import { shell } from './shell.ts'

export interface OfferOptions extends GlobalOptions, IdentifierOptions {
  category?: Category
  dryRun?: boolean
  yes?: boolean
}

/** Notes from one source, to review and store. */
export interface Offer {
  /** The source's name, such as the file. */
  name: string
  notes: readonly Note[]
  /** Each session's identical words are stored once. Default: the name. */
  session?: string
  /** Shows and stores only new notes, and lets the user pick. */
  onlyNew?: boolean
  /** Shown if there are no notes. */
  nothing: string
  /** Shown after the counts. */
  skipped?: string
  /** Added to the items in the JSON report. */
  more?: object
}

interface Item {
  note: Note
  outcome: Outcome
}

/** Shows what would become of each note, asks, and stores what the user agreed to. */
export async function offerNotes(given: Offer, options: OfferOptions): Promise<void> {
  const offer = { ...given, notes: given.notes.flatMap(withoutPrivateParts) }
  const { onlyNew = false } = offer
  if (options.yes && !onlyNew)
    return tell(offer, { stored: true, items: await take(offer, options, true), known: 0 }, options)
  const planned = await take(offer, options, false)
  const items = onlyNew ? planned.filter(isOffered) : planned
  const known = onlyNew ? planned.filter(isKnown).length : 0
  const store = async (chosen: readonly Item[]): Promise<Offered> => {
    const notes = chosen.map((item) => item.note)
    return { stored: true, items: await take({ ...offer, notes }, options, true), known }
  }
  if (options.yes) return tell(offer, await store(items), options)
  const isAsked = !options.dryRun && items.some(({ outcome }) => changes(outcome))
  const numbered = isAsked && onlyNew && shell().stdin.isTTY === true
  await tell(offer, { stored: false, items, known }, options, numbered)
  if (!isAsked) return
  if (!shell().stdin.isTTY) {
    throw new MemoryError('INVALID_INPUT', 'Nothing was stored. Store this with --yes; --dry-run only shows it.')
  }
  const picked = numbered ? await pick(items) : (await confirm('Store them as shown?')) ? items : []
  if (picked.length === 0) return note('Nothing was stored.')
  await summarize(offer, await store(picked))
}

/** Nothing is left of a note that is private as a whole. */
function withoutPrivateParts(note: Note): Note[] {
  const kept = withoutPrivate(note.text)
  if (kept === note.text) return [note]
  const text = kept.replace(/\s+/g, ' ').trim()
  return text === '' ? [] : [{ ...note, text }]
}

async function take({ notes, name, session }: Offer, options: OfferOptions, store: boolean): Promise<Item[]> {
  // A missing store is not reported, because this is about to create it.
  return withEngine({ ...options, json: true }, store ? 'write' : 'read', async (engine, config) => {
    const layer = defaultLayer(options, config)
    const identifiers = readOwner(options, config)
    const source = sessionOf(session ?? name, [layer, identifiers])
    const items: Item[] = []
    for (let at = 0; at < notes.length; at += LIMITS.bulk) {
      const part = notes.slice(at, at + LIMITS.bulk)
      const outcomes = await engine.remember(
        part.map(({ text, category, service, tags, anchor, occurredAt }) => ({
          content: text,
          category: options.category ?? category ?? 'learning',
          service: service ?? null,
          tags: tags.slice(0, LIMITS.tags),
          anchor,
          ...(occurredAt === undefined ? {} : { occurredAt }),
        })),
        { layer, identifiers, session: source, source: 'manual', tier: 0, dryRun: !store },
      )
      items.push(...outcomes.map((outcome, i) => ({ note: part[i]!, outcome })))
    }
    if (store && items.length > 0) await endImport(engine, source, identifiers)
    return items
  })
}

/** One session per source and owner, so that repeated imports store the same words once. */
function sessionOf(name: string, owner: unknown[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([name, ...owner]))
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

function isKnown({ outcome: { kind } }: Item): boolean {
  return kind === 'reinforce' || kind === 'duplicate'
}

/** Known items are not offered, and refused ones are not worth a question. */
function isOffered({ outcome }: Item): boolean {
  return (outcome.kind === 'insert' && !isHeld(outcome)) || outcome.kind === 'contradict'
}

interface Offered {
  stored: boolean
  items: readonly Item[]
  known: number
}

async function tell(offer: Offer, told: Offered, { json }: OfferOptions, numbered = false): Promise<void> {
  const { stored, items, known } = told
  if (items.some(({ outcome }) => outcome.kind === 'refuse')) shell().exitCode = 1
  if (json) {
    const listed = items.map((item) => ({
      ...(item.note.line === undefined ? {} : { line: item.note.line }),
      place: item.note.place,
      outcome: item.outcome,
    }))
    return printJson({ file: offer.name, stored, items: listed, ...(offer.onlyNew ? { known } : {}), ...offer.more })
  }
  const width = String(items.length).length
  for (const [i, item] of items.entries()) {
    const number = numbered ? `${String(i + 1).padStart(width)}  ` : ''
    await printLine(number + formatItem(item, number.length))
  }
  await summarize(offer, told)
}

function formatItem({ note: { place }, outcome }: Item, indent: number): string {
  const text = formatOutcome(outcome, `${outcome.content}  ${paint('dim', place)}`, whyOf(outcome))
  return text.replaceAll('\n', `\n${' '.repeat(indent)}`)
}

/** New and repeated items need no explanation, unless the user would look for the memory in vain. */
function whyOf(outcome: Outcome): string | null {
  if (outcome.kind === 'insert' && !isHeld(outcome)) return null
  if (outcome.kind !== 'duplicate' || outcome.review !== undefined) return outcome.reason
  return outcome.memory === null ? 'imported before; it is held for review, or was changed or deleted since' : null
}

async function summarize({ nothing, skipped = '' }: Offer, { items, stored, known }: Offered): Promise<void> {
  const outcomes = items.map(({ outcome }) => ({ kind: outcome.kind, held: isHeld(outcome) }))
  const changed = items.some(({ outcome }) => changes(outcome))
  const verb = changed ? (stored ? 'Stored' : 'Would store') : 'Nothing to store'
  const counts = [...countOutcomes(outcomes), ...(known === 0 ? [] : [`${known} known already`])]
  const lead = counts.length === 0 ? nothing : `${verb}: ${counts.join(', ')}`
  await printLine(`${lead}.${skipped}`)
  if (stored) noteHeld(outcomes.filter(({ held }) => held).length)
}
