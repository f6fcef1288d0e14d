import type { Memory } from '../model/memory.ts'

/** A memory for tests and benchmarks: an active timing of no service, as an agent's run leaves it. */
export function makeMemory(fields: Partial<Memory> = {}): Memory {
  const createdAt = fields.createdAt ?? '2026-01-01T00:00:00.000Z'
  return {
    id: '01JGFJJZ000000000000000001',
    content: 'Takes 60s to start after restart',
    layer: 'project',
    identifiers: { projectId: 'shop' },
    category: 'timing',
    service: null,
    source: 'extraction',
    tags: [],
    metadata: {},
    anchor: null,
    importance: 50,
    confidence: 0.7,
    active: true,
    decayedWeeks: 0,
    tier: 1,
    trust: 'agent',
    links: [],
    thread: null,
    occurredAt: null,
    session: 'first-run',
    expiresAt: null,
    lastRecalledAt: null,
    recallCount: 0,
    createdAt,
    updatedAt: createdAt,
    version: 1,
    ...fields,
  }
}

/** Numbers in [0, 1) that are the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
