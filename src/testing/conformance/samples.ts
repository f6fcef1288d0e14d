import { expect } from 'vitest'
import { type ErrorCode, MemoryError } from '../../model/errors.ts'
import { type IdentifierName, type Identifiers, LAYERS, type Layer, REQUIRED_IDENTIFIER } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import type { NewMemory } from '../../model/schema.ts'

/** For tests that look at the whole store. */
export const ALL = { everything: true } as const

/** A memory of the project `shop`, with the fields under test. It is stored as given: one call, one row. */
export function sample(fields: Partial<Omit<NewMemory, 'layer' | 'identifiers'>> & Place = {}): NewMemory {
  return {
    content: 'The nightly import starts at two',
    layer: 'project',
    identifiers: { projectId: 'shop' },
    exact: true,
    ...fields,
  } as NewMemory
}

/** Where a sample is stored. Tests also try places where it cannot be. */
interface Place {
  layer?: Layer
  identifiers?: Identifiers
}

/** One identifier for each layer, all ending in the same suffix. */
export function identifiersFor(suffix: string, layers: readonly Layer[] = LAYERS): Identifiers {
  const pairs = layers.map((layer): [IdentifierName, string] => [REQUIRED_IDENTIFIER[layer], `${layer}-${suffix}`])
  return Object.fromEntries(pairs)
}

/** A clock that only moves when told to. */
export function clock(start = '2026-03-01T00:00:00.000Z'): { now: () => Date; advance(ms: number): void } {
  let time = Date.parse(start)
  return {
    now: () => new Date(time),
    advance(ms) {
      time += ms
    },
  }
}

/** The error that a call must fail with; checks its code and returns it. */
export async function failure(call: Promise<unknown>, code: ErrorCode): Promise<MemoryError> {
  const outcome = await call.then(
    () => 'a success',
    (error: unknown) => error,
  )
  expect(MemoryError.is(outcome), `expected ${code}, got ${String(outcome)}`).toBe(true)
  const error = outcome as MemoryError
  expect(error.code).toBe(code)
  return error
}

export function contentsOf(list: readonly Memory[] | readonly { memory: Memory }[]): string[] {
  return list.map((item) => ('memory' in item ? item.memory.content : item.content))
}

export type Random = (below: number) => number

/** Small, seeded, the same everywhere (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
