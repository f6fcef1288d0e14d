import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { type MemoryOptions, type Nokosu, openMemory } from '../../src/engine/open-memory.ts'

/** An empty store that several processes open by its URL. */
export interface FleetStore {
  url: string
  destroy(): Promise<void>
}

/** A backend that a fleet shares. The tests of fleet.ts and faults.ts are the same for all of them. */
export interface FleetBackend {
  name: string
  /** What a process needs in its environment to use the store. */
  env?: Record<string, string>
  create(): Promise<FleetStore>
  /** The address that its URLs lead to. */
  address(url: string): { host: string; port: number }
  /** The URL of the same store behind another port of this machine. */
  behind(url: string, port: number): string
}

/** The engine as a process of the fleet opens it: no model to load, so that the store is what takes time. */
export function openFleet(url: string, options: Omit<MemoryOptions, 'storage'> = {}): Promise<Nokosu> {
  return openMemory({ embedding: hashingEmbedding({ dimensions: 32 }), relations: null, ...options, storage: url })
}

/** All that the store holds, inactive ones too, page by page. */
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
