import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { type MemoryOptions, type Nokosu, openMemory } from '../../src/engine/open-memory.ts'

/** An empty store that several processes can open by URL. */
export interface FleetStore {
  url: string
  destroy(): Promise<void>
}

/** A backend that a fleet shares. fleet.ts and faults.ts run the same tests on all of them. */
export interface FleetBackend {
  name: string
  /** What a process needs in its environment to use the store. */
  env?: Record<string, string>
  create(): Promise<FleetStore>
  /** The address in its URLs. */
  address(url: string): { host: string; port: number }
  /** The URL of the same store through another local port. */
  behind(url: string, port: number): string
}

/** The engine as fleet processes open it: no model to load, so the store dominates the time. */
export function openFleet(url: string, options: Omit<MemoryOptions, 'storage'> = {}): Promise<Nokosu> {
  return openMemory({ embedding: hashingEmbedding({ dimensions: 32 }), relations: null, ...options, storage: url })
}

/** All memories of the store, including inactive ones, page by page. */
export async function everything(memory: Nokosu) {
  const all = []
  for (let cursor: string | null = null; ; ) {
    const page = await memory.list({
      everything: true,
      includeInactive: true,
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    })
    all.push(...page.memories)
    cursor = page.nextCursor
    if (cursor === null) return all
  }
}
