import { MemoryError } from '../model/errors.ts'
import { scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { heldKey } from '../model/once-keys.ts'
import type { Embedding, Write } from '../storage/commit.ts'
import type { Core } from './core.ts'
import { fateOf, saidBefore } from './remember/fate.ts'
import { newRow } from './write.ts'

/** Adds a memory as its own. Words that are held are held once in a scope. */
export function insertion(memory: Memory, embedding: Embedding): Write {
  const row = newRow(memory, embedding)
  if (memory.trust !== 'quarantined') return { kind: 'insert', row }
  return { kind: 'insert', row, once: [heldKey(scopeOf(memory.layer, memory.identifiers), memory)] }
}

/** What is held, or was decided on, is not added as another memory that is held. */
export async function requireUnsaid(core: Core, memories: readonly Memory[]): Promise<void> {
  for (const [i, memory] of memories.entries()) {
    if (memory.trust !== 'quarantined') continue
    const fate = await fateOf(core, scopeOf(memory.layer, memory.identifiers), memory.content)
    if (fate !== null) throw saidBefore(fate, memories.length === 1 ? '' : `memories[${i}].`)
  }
}

/** Somebody else was quicker, or it was said before with another key. */
export async function explainOnce(core: Core, error: unknown, memories: readonly Memory[]): Promise<never> {
  if (!MemoryError.is(error) || error.details?.reason !== 'once') throw error
  await requireUnsaid(core, memories)
  throw saidBefore(null, '')
}
