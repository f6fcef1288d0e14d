import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ask, Collection } from './collection.ts'
import { fileIn, readRows } from './read-file.ts'

/** The factual abilities, which name the messages that contain the answers. */
const FACTUAL = [
  ...['information_extraction', 'knowledge_update', 'multi_session_reasoning', 'temporal_reasoning'],
  'contradiction_resolution',
]

/** The maximum length of a memory; a few assistant messages are longer. */
const MOST_CHARACTERS = 16_384

/** Whose messages are stored. */
export const ROLES = ['all', 'user'] as const
export type Roles = (typeof ROLES)[number]

interface Chat {
  id: string
  turns: { id: number; role: string; text: string }[]
  questions: { question: string; category: string; evidence: number[] }[]
}

/**
 * BEAM chats, each message a memory: JSON lines of chats, or a folder as published (`1/chat.json` with
 * `1/probing_questions/probing_questions.json`). Without the assistant's messages, its statements are not evidence.
 */
export function readBeam(path: string, roles: Roles = 'all'): Collection[] {
  const published = publishedFolders(path)
  const chats = published.length > 0 ? published.map((folder) => fromPublished(path, folder)) : readChats(path)
  return chats.map(({ id, turns, questions }): Collection => {
    const items = turns
      .filter(({ role }) => roles === 'all' || role === 'user')
      .map((turn) => ({ key: String(turn.id), content: turn.text.slice(0, MOST_CHARACTERS) }))
    const known = new Set(items.map(({ key }) => key))
    const asks = questions.flatMap((each): Ask[] => {
      const answers = [...new Set(each.evidence.map(String))].filter((key) => known.has(key))
      if (!FACTUAL.includes(each.category) || answers.length === 0) return []
      return [{ query: each.question, answers, category: each.category }]
    })
    return { name: id, items, asks, exact: true }
  })
}

function readChats(path: string): Chat[] {
  return readRows(fileIn(path, 'beam')) as unknown as Chat[]
}

function publishedFolders(path: string): string[] {
  if (!existsSync(join(path, '1')) && !existsSync(join(path, '2'))) return []
  return readdirSync(path).filter((name) => existsSync(join(path, name, 'chat.json')))
}

interface PublishedMessage {
  id: number
  role: string
  content: string
}

function fromPublished(path: string, folder: string): Chat {
  const read = (...parts: string[]): unknown => JSON.parse(readFileSync(join(path, folder, ...parts), 'utf8'))
  const batches = read('chat.json') as { turns: PublishedMessage[][] }[]
  const turns = batches
    .flatMap((batch) => batch.turns.flat())
    // A message ends with the position in the plan it was generated from.
    .map(({ id, role, content }) => ({ id, role, text: content.replace(/\s*->->.*$/s, '') }))
  const probes = read('probing_questions', 'probing_questions.json') as Record<string, { question: string }[]>
  const questions = Object.entries(probes).flatMap(([category, asked]) =>
    asked.map((each) => ({ question: each.question, category, evidence: numbersIn(each) })),
  )
  return { id: folder, turns, questions }
}

/** `source_chat_ids` is a list, or lists by part of the question. */
function numbersIn(asked: object): number[] {
  const flat = (value: unknown): number[] => {
    if (typeof value === 'number') return [value]
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(flat) : []
  }
  return 'source_chat_ids' in asked ? flat(asked.source_chat_ids) : []
}
