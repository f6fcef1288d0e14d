import { setImmediate as breathe } from 'node:timers/promises'
import { memorySchema } from '../../model/memory.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import { PAGE_SLOTS, type PackedPage, packPage } from '../../vector/packed-page.ts'
import type { Row } from '../reference/data.ts'
import type { VectorModel } from '../storage.ts'
import { HeldPartition } from './held-partition.ts'
import { HeldRow } from './held-row.ts'
import type { Marks } from './lanes.ts'
import { Outside } from './outside.ts'
import type { StoredIndex } from './partition-vectors.ts'
import { hiddenPartition, isSamePlace, nameOfPlace, type Place } from './place.ts'

/** A copy is read only by versions whose memories have the same fields. Raise the number if this file changes. */
export const FORMAT = `3 ${Object.keys(memorySchema.shape).sort().join()}`
/** Rows written before other work gets a turn. */
const AT_ONCE = 500

/**
 * A partition as stored on disk: columns, indexes of words and vectors, and each memory as JSON that is parsed when
 * it is shown. Rows are referred to by their number. Each `ends` says where the parts of a long array end.
 */
export interface CopyContent {
  /** See `FORMAT`. */
  format: string
  /** As the store names its copies of the partition. */
  name: string
  partition: string
  model: VectorModel
  marks: Marks
  readAt: number
  newest: string
  /** Whether each id is there once. Only then the indexes are used. */
  isDistinct: boolean
  /** null: no index outside has its vectors. */
  outside: { index: string; removed: Place[] } | null
  /** Of the rows, in the order of `byPlace`. */
  ids: string[]
  times: string[]
  hidden: boolean[]
  revisions: (number | null)[]
  untils: string[]
  models: (string | null)[]
  texts: Parts<Uint8Array>
  vectors: Parts<Uint8Array>
  /** Sorted; each with the rows that have it. */
  words: string[]
  holders: Parts<Uint32Array>
  pages: PackedPage[]
}

interface Parts<All> {
  all: All
  ends: Uint32Array
}

export async function contentOf(
  held: HeldPartition,
  { name, model }: Pick<CopyContent, 'name' | 'model'>,
): Promise<CopyContent> {
  // Rows never change, so those of this moment and its marks stay together while other work goes on.
  const [rows, marks, { newest, readAt }] = [[...held.items()].sort(byPlace), new Map(held.marks), held]
  const texts: Uint8Array[] = []
  const holders = new Map<string, number[]>()
  const entries: { key: number; vector: Float32Array }[] = []
  const pages: PackedPage[] = []
  for (const [i, { row, model: own, vector }] of rows.entries()) {
    texts.push(Buffer.from(JSON.stringify(row)))
    for (const token of new Set(row.tokens)) {
      const own = holders.get(token)
      if (own) own.push(i)
      else holders.set(token, [i])
    }
    if (vector && own === model.name && vector.byteLength === model.dimensions * 2)
      entries.push({ key: i + 1, vector: decodeFloat16(vector, model.dimensions) })
    if (entries.length === PAGE_SLOTS) pages.push(packPage(entries.splice(0), model.dimensions))
    if (i % AT_ONCE === 0) await breathe()
  }
  if (entries.length > 0) pages.push(packPage(entries, model.dimensions))
  const words = [...holders.keys()].sort()
  const numbers = words.map((word) => holders.get(word)!)
  return {
    ...{ format: FORMAT, name, model, partition: held.name, marks, readAt, newest },
    outside: held.outside && { index: held.outside.index, removed: [...held.outside.removed.values()] },
    isDistinct: new Set(rows.map(({ id }) => id)).size === rows.length,
    ids: rows.map(({ id }) => id),
    times: rows.map(({ place }) => place.createdAt),
    hidden: rows.map(({ place }) => place.agentProjectKey !== held.name),
    revisions: rows.map(({ revision }) => revision),
    untils: rows.map(({ visibleUntil }) => visibleUntil),
    models: rows.map(({ model: own }) => own),
    texts: joined(texts),
    vectors: joined(rows.map(({ vector }) => vector ?? new Uint8Array())),
    words,
    holders: { all: Uint32Array.from(numbers.flat()), ends: endsOf(numbers) },
    pages,
  }
}

function joined(parts: readonly Uint8Array[]): Parts<Uint8Array> {
  // A plain array: a slice of a Buffer would be a view.
  return { all: new Uint8Array(Buffer.concat(parts)), ends: endsOf(parts) }
}

function endsOf(parts: readonly { length: number }[]): Uint32Array {
  let end = 0
  return Uint32Array.from(parts, ({ length }) => {
    end += length
    return end
  })
}

/** A view, not a copy. */
function part<All extends Uint8Array | Uint32Array>({ all, ends }: Parts<All>, i: number): All {
  return all.subarray(ends[i - 1] ?? 0, ends[i]) as All
}

export function partitionOfCopy(content: CopyContent): HeldPartition {
  const { partition, marks, newest, readAt, isDistinct } = content
  const stored = new StoredRows(content)
  const rows = isDistinct ? stored : Array.from({ length: stored.size }, (_, i) => stored.row(i))
  return new HeldPartition(partition, marks, rows, { newest, readAt, outside: outsideOf(content, stored) })
}

function byPlace({ place: a }: Pick<HeldRow, 'place'>, { place: b }: Pick<HeldRow, 'place'>): number {
  if (a.agentProjectKey !== b.agentProjectKey) return a.agentProjectKey < b.agentProjectKey ? -1 : 1
  return a.createdAt === b.createdAt ? 0 : a.createdAt < b.createdAt ? -1 : 1
}

function outsideOf({ outside: saved, models, vectors, model }: CopyContent, stored: StoredRows): Outside | null {
  if (!saved) return null
  const outside = new Outside(saved.index)
  for (const [i, own] of models.entries())
    if (own === model.name && vectors.ends[i]! > (vectors.ends[i - 1] ?? 0)) outside.inside.add(stored.row(i))
  for (const place of saved.removed) outside.removed.set(nameOfPlace(place), place)
  return outside
}

class StoredRows implements StoredIndex {
  readonly #content: CopyContent
  readonly #hidden: string
  readonly #made: (HeldRow | undefined)[] = []
  readonly #numbers = new Map<HeldRow, number>()

  constructor(content: CopyContent) {
    this.#content = content
    this.#hidden = hiddenPartition(content.partition)
  }

  get size(): number {
    return this.#content.ids.length
  }

  get model(): string {
    return this.#content.model.name
  }

  get pages(): readonly PackedPage[] {
    return this.#content.pages
  }

  get untils(): readonly string[] {
    return this.#content.untils
  }

  row(number: number): HeldRow {
    const known = this.#made[number]
    if (known) return known
    const row = this.#make(number)
    this.#made[number] = row
    this.#numbers.set(row, number)
    return row
  }

  at(place: Place): HeldRow | null {
    const { times } = this.#content
    let [from, to] = [0, times.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (byPlace({ place: this.#place(middle) }, { place }) < 0) from = middle + 1
      else to = middle
    }
    return from < times.length && isSamePlace(this.#place(from), place) ? this.row(from) : null
  }

  numberOf(row: HeldRow): number | undefined {
    return this.#numbers.get(row)
  }

  holders(token: string): HeldRow[] {
    const { words, holders } = this.#content
    const i = indexOf(words, token)
    return i < 0 ? [] : Array.from(part(holders, i), (row) => this.row(row))
  }

  #place(i: number): Place {
    const { partition, hidden, times } = this.#content
    return { agentProjectKey: hidden[i] ? this.#hidden : partition, createdAt: times[i]! }
  }

  #make(i: number): HeldRow {
    const { ids, revisions, untils, models, texts, vectors } = this.#content
    const vector = part(vectors, i)
    const columns = {
      ...{ id: ids[i]!, revision: revisions[i]!, visibleUntil: untils[i]!, model: models[i]! },
      place: this.#place(i),
      vector: vector.length > 0 ? vector : null,
    }
    return new HeldRow(columns, () => {
      const { buffer, byteOffset, length } = part(texts, i)
      return JSON.parse(Buffer.from(buffer, byteOffset, length).toString()) as Row
    })
  }
}

/** The index of a word among sorted ones; -1 if it is missing. */
function indexOf(words: readonly string[], word: string): number {
  let [from, to] = [0, words.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (words[middle]! < word) from = middle + 1
    else to = middle
  }
  return words[from] === word ? from : -1
}
