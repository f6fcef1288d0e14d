import type { Identifiers, Layer } from './layer.ts'
import type { Category, JsonObject, Source, Tier } from './memory.ts'

/** What capture found and would like to have remembered. Guard and admit decide what becomes of it. */
export interface Candidate {
  content: string
  category: Category
  service: string | null
  source: Source
  tags: string[]
  metadata: JsonObject
  anchor: string | null
  importance: number
  /** Where it should land, when the text itself says so (a suggestion's scope); otherwise the caller decides. */
  layer?: Layer
  identifiers?: Identifiers
  tier?: Tier
  /** What the observation declares about an earlier belief: `(was: ...)` or `(confirms: ...)`. */
  declares?: { relation: 'corrects' | 'confirms'; text: string }
  expiresAt?: string | null
}

/** What capture or guard would not pass on, and why. The excerpt is short, and free of secrets and control characters. */
export interface Refusal {
  reason: string
  excerpt: string
  /** The line of the input it came from, counted from 1, where there is one. */
  line?: number
}
