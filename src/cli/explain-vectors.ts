import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import type { SearchResults } from '../model/provider.ts'
import { commandLine } from './command-line.ts'

/**
 * Explains why a semantic search used words only: memories have vectors of another model, or none.
 * The store is only asked if something seems to be missing.
 */
export async function explainMissingVectors(engine: Nokosu, { results }: SearchResults): Promise<string | null> {
  const blind = results.some(({ explanation }) => explanation?.semantic === null)
  if (results.length > 0 && !blind) return null
  const others = (await modelsOf(engine)).filter((name) => name !== engine.embedding.name)
  if (others.length === 0 && !blind) return null
  const why = others.length === 0 ? 'have no vector' : `have vectors of ${others.join(', ')}`
  return `Some memories ${why}: without one of ${engine.embedding.name} they are found by their words alone. Run:\n  ${commandLine('reembed')}`
}

async function modelsOf(engine: Nokosu): Promise<readonly string[]> {
  try {
    return (await engine.stats()).models
  } catch (error) {
    // Without access to the whole store, only the results are explained.
    if (!MemoryError.is(error) || error.code !== 'UNAUTHORIZED') throw error
    return []
  }
}
