import { openMemory } from '../../src/engine/open-memory.ts'

/** Opens a store for one piece of work, so that the CLI finds it closed. */
export async function withStore<T>(
  storage: string,
  work: (engine: Awaited<ReturnType<typeof openMemory>>) => Promise<T>,
) {
  const engine = await openMemory({ storage, embedding: { kind: 'hashing' } })
  try {
    return await work(engine)
  } finally {
    await engine.shutdown()
  }
}
