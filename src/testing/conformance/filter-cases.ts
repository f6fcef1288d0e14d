import type { Filter } from '../../model/filter.ts'
import type { JsonObject } from '../../model/memory.ts'
import type { NewMemory } from '../../model/schema.ts'
import { sample } from './samples.ts'

const METADATA: Record<string, JsonObject> = {
  a: { size: 1, name: 'alpha', done: true, build: { id: 7, tags: ['x', 'y'] }, at: '2026-01-01T00:00:00.000Z' },
  b: { size: 2.5, name: 'beta', done: false, build: { id: 8, tags: ['y', 3] }, at: '2026-02-01T00:00:00.000Z' },
  c: { size: '2', name: 'Alphabet', done: 'true', build: { id: null, tags: [] }, 'odd key-1': 1 },
  d: { size: -3, name: '', build: [{ id: 7 }], flags: [true, null] },
  e: { nothing: null, name: 'naïve 日本', 'a b': { 'c/d': 'e' } },
  f: {},
}

/** Memories whose anchors are their labels. */
export function labelled(prefix: string): NewMemory[] {
  return Object.entries(METADATA).map(([label, metadata]) =>
    sample({ content: `${prefix} labelled ${label}`, anchor: label, metadata }),
  )
}

/** Filters with the labels of the memories that they select. The meaning is that of `matchesFilter`. */
export const filterCases: { filter: Filter; labels: string[] }[] = [
  { filter: { size: 1 }, labels: ['a'] },
  { filter: { size: { eq: 1 } }, labels: ['a'] },
  { filter: { size: 2 }, labels: [] },
  { filter: { size: '2' }, labels: ['c'] },
  { filter: { size: 2.5 }, labels: ['b'] },
  { filter: { done: true }, labels: ['a'] },
  { filter: { done: false }, labels: ['b'] },
  { filter: { done: 'true' }, labels: ['c'] },
  { filter: { nothing: null }, labels: ['e'] },
  { filter: { name: '' }, labels: ['d'] },
  { filter: { name: 'ALPHA' }, labels: [] },
  { filter: { 'build.id': 7 }, labels: ['a'] },
  { filter: { 'build.id': null }, labels: ['c'] },
  { filter: { 'build.id': { eq: 8 } }, labels: ['b'] },
  { filter: { 'build.0.id': 7 }, labels: [] },
  { filter: { 'name.length': 5 }, labels: [] },
  { filter: { 'odd key-1': 1 }, labels: ['c'] },
  { filter: { 'a b.c/d': 'e' }, labels: ['e'] },
  { filter: { name: { contains: 'lph' } }, labels: ['a', 'c'] },
  { filter: { name: { contains: 'alph' } }, labels: ['a'] },
  { filter: { name: { contains: '' } }, labels: ['a', 'b', 'c', 'd', 'e'] },
  { filter: { name: { contains: '%' } }, labels: [] },
  { filter: { name: { contains: '日' } }, labels: ['e'] },
  { filter: { 'build.tags': { contains: 'y' } }, labels: ['a', 'b'] },
  { filter: { 'build.tags': { contains: 3 } }, labels: ['b'] },
  { filter: { 'build.tags': { contains: '3' } }, labels: [] },
  { filter: { flags: { contains: true } }, labels: ['d'] },
  { filter: { flags: { contains: false } }, labels: [] },
  { filter: { size: { contains: 1 } }, labels: [] },
  { filter: { size: { gt: 1 } }, labels: ['b'] },
  { filter: { size: { gte: 1 } }, labels: ['a', 'b'] },
  { filter: { size: { lt: 1 } }, labels: ['d'] },
  { filter: { size: { lte: 1 } }, labels: ['a', 'd'] },
  { filter: { size: { gt: -10, lt: 2 } }, labels: ['a', 'd'] },
  { filter: { size: { gte: '1' } }, labels: ['c'] },
  { filter: { name: { gte: 'a' } }, labels: ['a', 'b', 'e'] },
  { filter: { at: { gte: '2026-01-15T00:00:00.000Z' } }, labels: ['b'] },
  { filter: { at: { lt: '2026-01-15T00:00:00.000Z' } }, labels: ['a'] },
  { filter: { done: { gt: 0 } }, labels: [] },
  { filter: { 'build.id': { gte: 7, lt: 8 } }, labels: ['a'] },
  { filter: { 'build.id': { gt: 0 }, name: { contains: 'beta' } }, labels: ['b'] },
  { filter: { 'missing.path': 1 }, labels: [] },
  { filter: {}, labels: ['a', 'b', 'c', 'd', 'e', 'f'] },
]
