import type { Memory } from '../../src/model/memory.ts'

/** A memory to be found, as whoever wrote the set named it. */
export interface Item {
  key: string
  content: string
  service?: string | null
  tags?: string[]
  thread?: Memory['thread']
  occurredAt?: string | null
  /** Where it lies when several layers are searched. */
  layer?: 'agent' | 'project'
}

/** A question and what answers it. */
export interface Ask {
  query: string
  /** Keys of the memories that hold the answer; none: nothing does. */
  answers: string[]
  /** The memory that it is near to and that does not answer it. */
  near?: string
  category: string
  language?: string
  /** When it is asked. */
  now?: string
}

/** A store of its own with its questions. */
export interface Collection {
  name: string
  items: Item[]
  asks: Ask[]
  /** Each item is a row of its own, as a transcript is stored; otherwise repeats and corrections are recognised. */
  exact?: boolean
}
