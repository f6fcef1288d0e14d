import type { Category } from '../model/categories.ts'
import { LIMITS } from '../model/limits.ts'
import { tokenize } from '../text/tokens.ts'

/** Something that was written down elsewhere, as one observation, with its source. */
export interface Note {
  text: string
  /** Where people find it: `CLAUDE.md:12`, `commit 1a2b3c4`. */
  place: string
  /** The same for the memory: `file:CLAUDE.md:12`, `commit:1a2b3c4`. */
  anchor: string
  tags: string[]
  /** Of a file: counted from 1. */
  line?: number
  category?: Category
  service?: string | null
  /** When it was noted, where that is known. */
  occurredAt?: string
}

/** Headings that say where a text stands, not what it is about. */
const GENERIC = new Set(
  tokenize(
    `a an and the of for on in to is our about this project repository codebase notes note memory memories observations readme claude agents
     gotchas gotcha caveats tips tip misc miscellaneous other general overview introduction summary faq important info information
     details description background context learnings facts findings known issues things remember usage guide documentation docs`,
  ),
)

/** The text with its subject in front, where it shares no word with its heading and so may not make sense without it. */
export function underHeading(text: string, heading: string | null): string {
  if (heading === null) return text
  const subject = heading.replace(/^\s*[\d.]+\s+|[:#\s]+$/g, '').trim()
  const telling = tokenize(subject).filter((word) => !GENERIC.has(word))
  if (telling.length === 0) return text
  const said = new Set(tokenize(text))
  return telling.some((word) => said.has(word)) ? text : `${subject}: ${text}`
}

/** A text that can be stored as a tag; null when nothing is left of it. */
export function toTag(text: string): string | null {
  return text.replace(/[`,]/g, '').replace(/\s+/g, ' ').trim().slice(0, LIMITS.tag).trim() || null
}
