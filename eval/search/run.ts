import type { EmbeddingProvider } from '../../src/embedding/provider.ts'
import { type Answer, askAll, fill } from './ask-all.ts'
import type { Collection } from './collection.ts'
import { type Row, rowOf, thresholdRows } from './report.ts'
import { waysToSearch } from './ways.ts'

export interface Result {
  rows: Row[]
  /** Results of hybrid search by category. */
  categories: Row[]
  /** Precision and recall by threshold, for each mode. */
  thresholds: Record<string, ReturnType<typeof thresholdRows>>
  /** The outcome of storing the memories. */
  stored: { memories: number; withheld: number; merged: number }
}

/** Fills a store with each collection, and runs its questions with every variant. */
export async function run(
  collections: readonly Collection[],
  model: EmbeddingProvider,
  { ablate = false, onProgress }: { ablate?: boolean; onProgress?: (done: string) => void } = {},
): Promise<Result> {
  const ways = waysToSearch(ablate)
  const answers = new Map<string, Answer[]>([...ways.keys()].map((name) => [name, []]))
  const stored = { memories: 0, withheld: 0, merged: 0 }
  for (const collection of collections) {
    const filled = await fill(collection, model)
    for (const [name, way] of ways) answers.get(name)!.push(...(await askAll(filled, way)))
    await filled.close()
    stored.memories += collection.items.length
    stored.withheld += filled.withheld.length
    stored.merged += filled.merged.length
    onProgress?.(`${collection.name}: ${collection.items.length} memories, ${collection.asks.length} questions`)
  }
  const hybrid = answers.get('hybrid')!
  const categories = Map.groupBy(hybrid, ({ ask }) => ask.category)
  return {
    rows: [...answers].map(([name, own]) => rowOf(name, own)),
    categories: [...categories].map(([name, own]) => rowOf(name, own)),
    thresholds: Object.fromEntries(
      (['hybrid', 'semantic', 'keyword'] as const).map((mode) => [mode, thresholdRows(answers.get(mode)!)]),
    ),
    stored,
  }
}
