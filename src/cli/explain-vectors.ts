import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import type { SearchResults } from '../model/provider.ts'
import { commandLine } from './command-line.ts'

/**
 * Why a search by meaning looked at words alone: memories whose vectors are of another model, or that have none. Found has to be explained.
 * The store is asked only where something seems to be missing.
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
    // Who may not see the whole store is told what the results say.
    if (!MemoryError.is(error) || error.code !== 'UNAUTHORIZED') throw error
    return []
  }
}
