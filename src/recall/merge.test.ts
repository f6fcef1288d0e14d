import { expect, it } from 'vitest'
import type { Layer } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { mergeLayers, type Scored } from './merge.ts'

const scored = (id: string, layer: Layer, score: number, vector: number[] | null = null, content = id): Scored => ({
  memory: { id, content, links: [] as Memory['links'] } as Memory,
  layer,
  score,
  semantic: null,
  keyword: 0,
  vector: vector && Float32Array.from(vector),
  held: 0,
})
const ids = (results: { memory: Memory }[]) => results.map((result) => result.memory.id)

it('[D04] orders by precedence, then by score', () => {
  const { merged } = mergeLayers(
    [scored('c', 'company', 0.99), scored('p1', 'project', 0.7), scored('p2', 'project', 0.8)],
    'precedence',
    10,
  )
  expect(ids(merged)).toEqual(['p2', 'p1', 'c'])
})

it('orders by score alone when asked', () => {
  const { merged } = mergeLayers([scored('p', 'project', 0.7), scored('c', 'company', 0.99)], 'relevance', 10)
  expect(ids(merged)).toEqual(['c', 'p'])
})

it('[D14] folds a duplicate into the higher precedence, in either order', () => {
  const near = [scored('c', 'company', 0.99, [1, 0]), scored('p', 'project', 0.7, [0.95, 0.3122])]
  for (const order of ['precedence', 'relevance'] as const) {
    const { merged, totalCount } = mergeLayers(near, order, 10)
    expect(ids(merged)).toEqual(['p'])
    expect(merged[0]!.collapsed).toEqual(['c'])
    expect(totalCount).toBe(1)
  }
})

it('keeps both of two near-identical memories of one layer, unless the text is the same', () => {
  const sixty = scored('a', 'project', 0.9, [1, 0], 'Takes 60s')
  const ninety = scored('b', 'project', 0.9, [1, 0], 'Takes 90s')
  expect(mergeLayers([sixty, ninety], 'precedence', 10).merged).toHaveLength(2)
  const again = scored('c', 'project', 0.8, null, 'takes  60S')
  expect(ids(mergeLayers([sixty, again], 'precedence', 10).merged)).toEqual(['a'])
})

it('keeps both of two layers that contradict each other, however near they are', () => {
  const known = scored('p', 'project', 0.9, [1, 0], 'Port 6379')
  const own = scored('a', 'agent', 0.8, [1, 0], 'Port 6390')
  own.memory.links = [{ relation: 'contradicts', memory: 'p' }]
  for (const both of [
    [known, own],
    [own, known],
  ])
    expect(ids(mergeLayers(both, 'precedence', 10).merged)).toEqual(['a', 'p'])
  own.memory.links = [{ relation: 'confirms', memory: 'p' }]
  expect(ids(mergeLayers([known, own], 'precedence', 10).merged)).toEqual(['a'])
})

it('spends the limit on the best scores, whatever their layer', () => {
  const weak = Array.from({ length: 10 }, (_, i) => scored(`a${i}`, 'agent', 0.71))
  const { merged } = mergeLayers([...weak, scored('p', 'project', 0.9)], 'precedence', 3)
  expect(ids(merged)).toEqual(['a9', 'a8', 'p'])
})

it('never lets a duplicate lower the score', () => {
  const near = [scored('c', 'company', 0.99, [1, 0]), scored('p', 'project', 0.7, [0.95, 0.3122])]
  expect(mergeLayers(near, 'precedence', 10).merged[0]).toMatchObject({ score: 0.99, memory: { id: 'p' } })
})

it('counts what the limit cuts off', () => {
  const many = Array.from({ length: 30 }, (_, i) => scored(`m${i}`, 'project', 0.9 - i / 100))
  const { merged, totalCount } = mergeLayers(many, 'precedence', 10)
  expect(merged).toHaveLength(10)
  expect(totalCount).toBe(30)
})

it('takes two of different layers for one from a likeness of 0.95 on', () => {
  const merged = (cosine: number) =>
    mergeLayers([scored('c', 'company', 0.8, [1]), scored('p', 'project', 0.7, [cosine])], 'precedence', 10).merged
  expect(ids(merged(0.901))).toEqual(['p'])
  expect(ids(merged(0.89))).toEqual(['p', 'c'])
  const blind = [scored('c', 'company', 0.8, [1]), scored('p', 'project', 0.7, null)]
  expect(mergeLayers(blind, 'precedence', 10).merged).toHaveLength(2)
})

it('names all that were folded, whichever came first', () => {
  const one = (id: string, layer: Layer, score: number) => scored(id, layer, score, null, 'Same text')
  const { merged, totalCount } = mergeLayers(
    [one('a', 'company', 0.9), one('b', 'company', 0.8), one('c', 'project', 0.7), one('d', 'company', 0.6)],
    'relevance',
    10,
  )
  expect(merged).toMatchObject([{ memory: { id: 'c' }, score: 0.9, collapsed: ['a', 'b', 'd'] }])
  expect(totalCount).toBe(1)
})

it('folds a duplicate of what is kept when the limit is reached, and of equals takes the greater id first', () => {
  const results = [scored('a', 'project', 0.9), scored('b', 'project', 0.9), scored('x', 'project', 0.5, null, ' B ')]
  const { merged, totalCount } = mergeLayers(results, 'relevance', 1)
  expect(merged).toMatchObject([{ memory: { id: 'b' }, collapsed: ['x'] }])
  expect(totalCount).toBe(2)
})

it('of equal scores puts the higher precedence first', () => {
  const results = [scored('z', 'company', 0.9), scored('a', 'project', 0.9)]
  expect(ids(mergeLayers(results, 'relevance', 10).merged)).toEqual(['a', 'z'])
  expect(ids(mergeLayers(results, 'relevance', 1).merged)).toEqual(['a'])
})

it('keeps a place for the nearest layer that holds an answer', () => {
  const company = Array.from({ length: 12 }, (_, i) => scored(`c${i}`, 'company', 0.99 - i / 1000))
  const found = ids(mergeLayers([...company, scored('a', 'agent', 0.886)], 'precedence', 10).merged)
  expect(found).toHaveLength(10)
  expect(found[0]).toBe('a')
  expect(ids(mergeLayers([...company, scored('a', 'agent', 0.6)], 'precedence', 10).merged)).not.toContain('a')
})

it('counts the same at every limit', () => {
  const texts = Array.from({ length: 6 }, (_, i) => scored(`p${i}`, 'project', 0.9 - i / 100, null, `Text ${i >> 1}`))
  for (const limit of [1, 2, 10]) expect(mergeLayers(texts, 'relevance', limit).totalCount).toBe(3)
})
