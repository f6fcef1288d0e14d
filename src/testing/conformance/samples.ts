import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { type ErrorCode, MemoryError } from '../../model/errors.ts'
import { type IdentifierName, type Identifiers, LAYERS, type Layer, REQUIRED_IDENTIFIER } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import type { NewMemory } from '../../model/schema.ts'

/** A memory of the project `shop`, with whatever the test is about. */
export function sample(fields: Partial<NewMemory> = {}): NewMemory {
  return {
    content: 'The nightly import starts at two',
    layer: 'project',
    identifiers: { projectId: 'shop' },
    ...fields,
  }
}

/** One identifier for each layer, all ending in the same suffix. */
export function identifiersFor(suffix: string, layers: readonly Layer[] = LAYERS): Identifiers {
  const pairs = layers.map((layer): [IdentifierName, string] => [REQUIRED_IDENTIFIER[layer], `${layer}-${suffix}`])
  return Object.fromEntries(pairs)
}

/** A whole record, for tests that write to a storage directly. */
export function record(id: string, fields: Partial<Memory> = {}): Memory {
  return {
    id,
    content: `Record ${id}`,
    layer: 'project',
    identifiers: { projectId: 'shop' },
    category: 'learning',
    service: null,
    source: 'manual',
    tags: [],
    metadata: {},
    anchor: null,
    importance: 50,
    confidence: 0.7,
    active: true,
    tier: 0,
    session: null,
    expiresAt: null,
    lastRecalledAt: null,
    recallCount: 0,
    createdAt: '2026-03-01T00:00:00.000Z',
    updatedAt: '2026-03-01T00:00:00.000Z',
    version: 1,
    ...fields,
  }
}

/** A ULID-shaped id; a greater number sorts later. */
export function idOf(number: number): string {
  return `01JNA00000000000000000${String(number).padStart(4, '0')}`
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A clock that stands still until it is moved. */
export function clock(start = '2026-03-01T00:00:00.000Z'): { now: () => Date; advance(ms: number): void } {
  let time = Date.parse(start)
  return {
    now: () => new Date(time),
    advance(ms) {
      time += ms
    },
  }
}

/** The error that a call must fail with; its code is checked, the rest is for the caller to look at. */
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
