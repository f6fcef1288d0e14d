import type { Category } from '../model/categories.ts'
import { LIMITS } from '../model/limits.ts'
import { tokenize } from '../text/tokens.ts'

/** Something written down elsewhere, as one observation with its source. */
export interface Note {
  text: string
  /** The source for people: `CLAUDE.md:12`, `commit 1a2b3c4`. */
  place: string
  /** The source as stored: `file:CLAUDE.md:12`, `commit:1a2b3c4`. */
  anchor: string
  tags: string[]
  /** The line in a file, counted from 1. */
  line?: number
  category?: Category
  service?: string | null
  /** When it was noted, if known. */
  occurredAt?: string
}

/** Headings that describe a document's structure, not a subject. */
const GENERIC = new Set(
  tokenize(
    `a an and the of for on in to is our about this project repository codebase notes note memory memories observations readme claude agents
     gotchas gotcha caveats tips tip misc miscellaneous other general overview introduction summary faq important info information
     details description background context learnings facts findings known issues things remember usage guide documentation docs`,
  ),
)

/** Puts the subject in front of a text that shares no word with its heading and may not make sense alone. */
export function underHeading(text: string, heading: string | null): string {
  if (heading === null) return text
  const subject = heading.replace(/^\s*[\d.]+\s+|[:#\s]+$/g, '').trim()
  const telling = tokenize(subject).filter((word) => !GENERIC.has(word))
  if (telling.length === 0) return text
  const said = new Set(tokenize(text))
  return telling.some((word) => said.has(word)) ? text : `${subject}: ${text}`
}

/** Turns a text into a valid tag; null if nothing is left of it. */
export function toTag(text: string): string | null {
  return text.replace(/[`,]/g, '').replace(/\s+/g, ' ').trim().slice(0, LIMITS.tag).trim() || null
}
