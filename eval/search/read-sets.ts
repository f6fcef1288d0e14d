import type { Thread } from '../../src/model/memory.ts'
import type { Ask, Collection, Item } from './collection.ts'
import { type Asked, readAsked } from './read-asked.ts'
import { fileIn, type Json, readRows } from './read-file.ts'

/** How a conversation is stored. */
export const FORMS = ['threads', 'captions', 'service', 'bare', 'layers'] as const
export type Form = (typeof FORMS)[number]

interface Turn {
  id: string
  session: number
  date: string
  speaker: string
  text: string
  image_caption?: string | null
}

/** LoCoMo conversations, as our JSON lines or as the published `locomo10.json`. */
export function readLocomo(path: string, form: Form): Collection[] {
  return readRows(fileIn(path, 'locomo')).map((row): Collection => {
    const { id, turns, questions } = 'conversation' in row ? fromPublished(row) : (row as never)
    if (!Array.isArray(turns)) throw new Error('a line has neither "conversation" nor "turns"')
    const placeOf = new Map<number, number>()
    const items = (turns as Turn[]).map((turn): Item => {
      const index = placeOf.get(turn.session) ?? 0
      placeOf.set(turn.session, index + 1)
      return toItem(turn, form, { id: `${id}/${turn.session}`, index })
    })
    const known = new Set(items.map(({ key }) => key))
    const asks = (questions as { question: string; evidence: string[]; category: number }[]).flatMap((each): Ask[] => {
      const answers = each.evidence.filter((key) => known.has(key))
      return answers.length === 0
        ? []
        : [{ query: each.question, answers, category: LOCOMO_CATEGORIES[each.category]! }]
    })
    return { name: id, items: form === 'layers' ? [...items, ...weakHits(items)] : items, asks, exact: true }
  })
}

const LOCOMO_CATEGORIES = ['', 'several places', 'time', 'common sense', 'one place', 'false premise']

function toItem({ id, speaker, date, text: said, image_caption: caption }: Turn, form: Form, thread: Thread): Item {
  const text = form === 'captions' && caption ? `${said} [shows ${caption}]` : said
  const occurredAt = toTime(date)
  if (form === 'bare') return { key: id, content: text }
  if (form === 'service') return { key: id, content: text, service: speaker, thread, occurredAt }
  return { key: id, content: `${speaker} (${date}): ${text}`, thread, occurredAt }
}

/** Weak hits in a nearer layer: every fourth turn again, with half of its words removed. */
function weakHits(items: readonly Item[]): Item[] {
  return items
    .filter((_, i) => i % 4 === 0)
    .map(({ key, content }) => ({
      key: `weak ${key}`,
      content: content
        .split(' ')
        .filter((_, i) => i % 2 === 0)
        .join(' '),
      layer: 'agent',
    }))
}

/** `1:56 pm on 8 May, 2023` or `March-15-2024`. */
function toTime(date: string): string | null {
  const [, clock, day] = /^(?:(\d+:\d+ [ap]m) on )?(.*)$/i.exec(date.trim())!
  const time = Date.parse(`${day!.replaceAll('-', ' ').replace(',', '')} ${clock ?? ''} UTC`)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

function fromPublished(row: Json): { id: string; turns: Turn[]; questions: unknown } {
  const conversation = row.conversation as Json
  const sessions = Object.keys(conversation).filter((key) => /^session_\d+$/.test(key))
  const turns = sessions.flatMap((key): Turn[] => {
    const date = String(conversation[`${key}_date_time`] ?? '')
    const list = conversation[key] as { dia_id: string; speaker: string; text: string }[]
    return list.map(({ dia_id, speaker, text }) => ({ id: dia_id, session: Number(key.slice(8)), date, speaker, text }))
  })
  const questions = (row.qa as Json[]).map((qa) => ({
    ...qa,
    evidence: ((qa.evidence as string[] | undefined) ?? []).flatMap((each) => each.split(/[;,\s]+/)),
  }))
  return { id: String(row.sample_id), turns, questions }
}

/** Three queries that a memory answers, in this order; a fourth is left out to keep sets comparable. */
const KINDS = ['question', 'situation', 'phrase']

/** Memories with queries that they answer and close ones that they do not, in stores of this size; the memories of `among` are added. */
export function readQuestions(
  path: string,
  {
    size = 380,
    stores = 1,
    from = 0,
    among,
  }: { size?: number; stores?: number; from?: number; among?: string | undefined } = {},
): Collection[] {
  const rows = readAsked(path)
  const others = among === undefined ? [] : readAsked(among)
  const itemOf = ({ id, memory }: Asked) => ({ key: id, content: memory })
  const step = Math.max(1, Math.floor(rows.length / (size * stores)))
  const chosen = rows.filter((_, i) => i % step === from % step)
  return Array.from({ length: stores }, (_, store): Collection => {
    const own = chosen.filter((_, i) => i % stores === store).slice(0, size)
    const asks = own.flatMap(({ id, answers, not }): Ask[] => [
      ...answers.slice(0, KINDS.length).map((query, i) => ({ query, answers: [id], category: KINDS[i]! })),
      ...not.map((query) => ({ query, answers: [], near: id, category: 'near' })),
    ])
    return { name: `${store}`, items: [...own, ...others].map(itemOf), asks }
  })
}
