/**
 * New notes and the memories of one project: each note is compared with its nearest neighbours, as in an admission. Lines
 * are `{kind: 'known', text}` and `{kind: 'new', text, relation: 'contradiction' | 'same' | 'none', of: <a known text> | null}`.
 */
import type { EmbeddingProvider } from '../../src/embedding/provider.ts'
import { prepareRelater, type Relation } from '../../src/lifecycle/relate/relate.ts'
import type { RelationModel } from '../../src/lifecycle/relate/relation-model.ts'
import type { StoreRow } from './read-rows.ts'

/** As many as the engine compares. */
const NEIGHBOURS = 10

export interface InStore {
  known: number
  contradictions: { all: number; found: number }
  repeats: { all: number; found: number }
  /** Contradictions called the same, and repeats called contradictions. */
  confused: number
  /** New notes that would weaken or be merged into an unrelated memory. */
  wronged: number
  notes: number
  worst: string[]
}

export async function measureInStore(
  rows: readonly StoreRow[],
  embedder: EmbeddingProvider,
  model: RelationModel,
): Promise<InStore> {
  const known = await embed(rows.filter((row) => row.kind === 'known'))
  const notes = await embed(rows.filter((row) => row.kind === 'new'))
  const found: InStore = {
    known: known.length,
    contradictions: { all: 0, found: 0 },
    repeats: { all: 0, found: 0 },
    confused: 0,
    wronged: 0,
    notes: notes.length,
    worst: [],
  }
  for (const note of notes) {
    const near = known
      .map((one) => ({ ...one, cosine: one.vector.reduce((sum, value, i) => sum + value * note.vector[i]!, 0) }))
      .sort((one, two) => two.cosine - one.cosine)
      .slice(0, NEIGHBOURS)
    const pairs = near.map((b) => ({ a: note, b }))
    const relater = await prepareRelater(pairs, { model })
    const called = new Map(near.map((one) => [one.text, relater.relate(note, one).relation]))
    const expected: Relation =
      note.relation === 'contradiction' ? 'contradicts' : note.relation === 'same' ? 'same' : 'other'
    if (note.of) {
      const tally = expected === 'same' ? found.repeats : found.contradictions
      const verdict = called.get(note.of) ?? 'other'
      tally.all++
      if (verdict === expected) tally.found++
      else found.worst.push(`${expected} called ${verdict}: ${note.text} | ${note.of}`)
      if (verdict !== expected && verdict !== 'other') found.confused++
    }
    const wronged = [...called].filter(([text, verdict]) => text !== note.of && verdict !== 'other')
    if (wronged.length > 0) found.wronged++
    for (const [text, verdict] of wronged) found.worst.push(`other called ${verdict}: ${note.text} | ${text}`)
  }
  return found

  async function embed<T extends StoreRow>(some: readonly T[]) {
    const vectors = await embedder.embed(some.map(({ text }) => text))
    return some.map((row, i) => ({ ...row, vector: vectors[i]! }))
  }
}
