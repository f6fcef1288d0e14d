import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openMemory } from '../../src/engine/open-memory.ts'

/** Creates the store of a workspace, with so many memories of the project `shop`. */
export async function fill(folder: string, count: number): Promise<void> {
  mkdirSync(join(folder, '.nokosu'), { recursive: true })
  const storage = `sqlite:${join(folder, '.nokosu/memory.db')}`
  const engine = await openMemory({ storage, embedding: { kind: 'hashing' } })
  const identifiers = { projectId: 'shop' }
  await engine.bulkAdd(
    Array.from({ length: count }, (_, i) => ({ content: `Observation ${i}`, layer: 'project' as const, identifiers })),
    { exact: true },
  )
  await engine.shutdown()
}
