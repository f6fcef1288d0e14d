import type { DatabaseSync } from 'node:sqlite'
import { toCategory } from '../model/category-words.ts'
import { isRecord, parseJson } from '../text/json.ts'
import { type Note, toTag, underHeading } from './note.ts'

/** The observations of each project in a claude-mem database, newest first. */
export type ClaudeMemProjects = ReadonlyMap<string, number>

/** Null if it is not a claude-mem database. */
export function claudeMemProjects(db: DatabaseSync): ClaudeMemProjects | null {
  if (!columnsOf(db).has('project')) return null
  const rows = db
    .prepare('SELECT project, count(*) AS count FROM observations GROUP BY project ORDER BY count DESC')
    .all()
  return new Map(rows.map(({ project, count }) => [String(project), Number(count)]))
}

/** The facts of a project's observations, oldest first. One without facts gives its title, or its text in early versions. */
export function readClaudeMem(db: DatabaseSync, project: string): Note[] {
  const columns = columnsOf(db)
  const named = columns.has('merged_into_project') ? 'coalesce(merged_into_project, project)' : 'project'
  const order = columns.has('created_at_epoch') ? 'created_at_epoch, id' : 'id'
  const rows = db.prepare(`SELECT * FROM observations WHERE ${named} = ? ORDER BY ${order}`).all(project)
  return rows.flatMap((row) => notesOf(row as Record<string, unknown>))
}

function columnsOf(db: DatabaseSync): Set<string> {
  return new Set(
    db
      .prepare('PRAGMA table_info(observations)')
      .all()
      .map(({ name }) => String(name)),
  )
}

function notesOf(row: Record<string, unknown>): Note[] {
  const title = said(row.title)
  const facts = listOf(row.facts)
  const texts = facts.length > 0 ? facts.map((fact) => underHeading(fact, title)) : [wholeOf(title, row)]
  const type = said(row.type)
  const tags = [...(type === null ? [] : [type]), ...listOf(row.concepts)].flatMap((tag) => toTag(tag) ?? [])
  const category = type === null ? null : toCategory(type)
  const time = typeof row.created_at_epoch === 'number' ? new Date(row.created_at_epoch) : null
  return texts
    .filter((text) => text !== '')
    .map((text) => ({
      ...{ text, tags: [...new Set(tags)], anchor: `claude-mem:${row.id}`, place: `claude-mem #${row.id}` },
      ...(category === null ? {} : { category }),
      ...(time === null || Number.isNaN(time.getTime()) ? {} : { occurredAt: time.toISOString() }),
    }))
}

function wholeOf(title: string | null, row: Record<string, unknown>): string {
  const more = said(row.subtitle) ?? said(row.narrative) ?? said(row.text)
  if (title === null) return more ?? ''
  return more === null ? title : `${title}: ${more}`
}

function said(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** A JSON array of texts. */
function listOf(value: unknown): string[] {
  const parsed = typeof value === 'string' ? parseJson(value) : null
  const list = parsed?.ok ? parsed.value : []
  const texts = Array.isArray(list) ? list.map((each) => (isRecord(each) ? each.text : each)) : []
  return texts.flatMap((each) => said(each) ?? [])
}
