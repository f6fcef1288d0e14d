import { expect, it } from 'vitest'
import { behindCorrections, putCorrections } from './corrections.ts'
import type { Scored } from './merge.ts'

const ordered = (ids: string, corrections: Record<string, string>) =>
  behindCorrections(
    [...ids].map((id) => ({ memory: { id } })),
    new Map(Object.entries(corrections)),
  )
    .map(({ memory }) => memory.id)
    .join('')

it('what was corrected comes right behind its correction, and stays where that came before or is not shown', () => {
  expect(ordered('abc', { a: 'b' })).toBe('bac')
  expect(ordered('abc', { a: 'c', b: 'c' })).toBe('cab')
  expect(ordered('abc', { b: 'a', c: 'x' })).toBe('abc')
  expect(ordered('abc', { a: 'b', b: 'c' })).toBe('cba')
})

it('nothing is lost where corrections go round in a ring', () => {
  expect(ordered('abc', { a: 'b', b: 'a' })).toBe('cab')
})

const put = (scores: Record<string, number>, corrections: Record<string, string>, keep = false) => {
  const scored = Object.entries(scores).map(([id, score]) => ({ memory: { id }, score }) as Scored)
  const { reaching, corrected } = putCorrections(scored, new Map(Object.entries(corrections)), { threshold: 0.5, keep })
  return { reaching: Object.fromEntries(reaching.map(({ memory, score }) => [memory.id, score])), corrected }
}

it('without corrections shows what reaches the threshold', () => {
  expect(put({ a: 0.5, b: 0.49 }, {})).toEqual({ reaching: { a: 0.5 }, corrected: [] })
})

it('what was found speaks for its correction, and for the correction of that', () => {
  const corrected = [{ id: 'a', by: 'b' }]
  expect(put({ a: 0.8, b: 0.1, c: 0.2 }, { a: 'b', b: 'c' })).toEqual({ reaching: { c: 0.8 }, corrected })
  expect(put({ a: 0.5, b: 0.9 }, { a: 'b' })).toEqual({ reaching: { b: 0.9 }, corrected })
  expect(put({ a: 0.8, b: 0.6, c: 0.1 }, { a: 'c', b: 'c' }).reaching).toEqual({ c: 0.8 })
  expect(put({ a: 0.8, b: 0.1 }, { a: 'b' }, true)).toEqual({ reaching: { a: 0.8, b: 0.8 }, corrected: [] })
})

it('what does not reach the threshold speaks for nothing', () => {
  expect(put({ a: 0.49, b: 0.1, c: 0.6 }, { a: 'b' })).toEqual({ reaching: { c: 0.6 }, corrected: [] })
})

it('ends where corrections go round in a ring', () => {
  expect(put({ a: 0.8, b: 0.1 }, { a: 'b', b: 'a' }, true).reaching).toEqual({ a: 0.8, b: 0.8 })
})
