import type { Memory } from '../../src/model/memory.ts'

/** A memory to find, named as in the set. */
export interface Item {
  key: string
  content: string
  service?: string | null
  tags?: string[]
  thread?: Memory['thread']
  occurredAt?: string | null
  /** Its layer, if several layers are searched. */
  layer?: 'agent' | 'project'
}

/** A question and its answers. */
export interface Ask {
  query: string
  /** Keys of the memories with the answer; empty if there is no answer. */
  answers: string[]
  /** A close memory that does not answer it. */
  near?: string
  category: string
  language?: string
  /** The time of the question. */
  now?: string
}

/** A separate store with its questions. */
export interface Collection {
  name: string
  items: Item[]
  asks: Ask[]
  /** Stores each item as a separate row, like a transcript; otherwise repeats and corrections are recognised. */
  exact?: boolean
}
