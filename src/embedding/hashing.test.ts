import { expect, test } from 'vitest'
import { hashingEmbedding } from './hashing.ts'

async function cosine(a: string, b: string): Promise<number> {
  const [left, right] = await hashingEmbedding().embed([a, b])
  return left!.reduce((sum, value, i) => sum + value * right![i]!, 0)
}

test('the vectors never change: stored ones must stay comparable over machines and releases', async () => {
  const [vector] = await hashingEmbedding({ dimensions: 16 }).embed(['Jellyfin restarts slowly'])
  expect([...vector!].map((value) => Number(value.toFixed(6)))).toEqual([
    0.397592, -0.510048, 0, -0.267739, -0.112456, 0, -0.129853, -0.467221, -0.112456, 0, 0, 0.112456, 0.129853,
    -0.467221, -0.042827, 0,
  ])
})

test('the name tells the dimensions, because vectors of two lengths cannot be compared', () => {
  expect(hashingEmbedding().name).toBe('hashing:v1-384')
  expect(hashingEmbedding({ dimensions: 64 }).name).not.toBe(hashingEmbedding().name)
})

test('identical text has a cosine of 1, in every script and for symbols alone', async () => {
  for (const text of [
    'The cache is warm',
    'メモリが足りない',
    'الذاكرة ممتلئة',
    '🔥🔥',
    '=> !!',
    'nul\0inside',
    '\ud800',
  ]) {
    expect(await cosine(text, text), text).toBeCloseTo(1, 5)
  }
})

test('case, punctuation and full-width forms do not matter', async () => {
  expect(await cosine('Restart NGINX first!', 'restart ｎｇｉｎｘ, first')).toBeCloseTo(1, 5)
})

test('shared words make texts near, inflected forms too, and unrelated texts are about orthogonal', async () => {
  const near = await cosine('Jellyfin takes a minute to restart', 'A restart of Jellyfin takes one minute')
  const inflected = await cosine('restarting containers', 'restarted the container')
  expect(near).toBeGreaterThan(0.8)
  expect(inflected).toBeGreaterThan(0.4)
  const unrelated = [
    ['Jellyfin takes a minute to restart', 'The invoice template has a typo in its footer'],
    ['Run the migrations before the seed', 'Use tabs in the Makefile for every recipe'],
    ['The proxy drops idle sockets', 'Grafana dashboards are owned by the platform team'],
  ] as const
  for (const [a, b] of unrelated) expect(Math.abs(await cosine(a, b)), b).toBeLessThan(0.2)
})

test('blank text gives the zero vector', async () => {
  const vectors = await hashingEmbedding().embed(['', ' \n'])
  expect(vectors.map((vector) => vector.every((value) => value === 0))).toEqual([true, true])
})

test.each([0, 15, 1.5, Number.NaN, 5000])('%d dimensions are refused, naming the key', (dimensions) => {
  expect(() => hashingEmbedding({ dimensions })).toThrow(
    expect.objectContaining({ code: 'CONFIGURATION_ERROR', details: { key: 'embedding.dimensions' } }),
  )
})

test('an aborted signal ends the call with its reason', async () => {
  const reason = new Error('enough')
  await expect(hashingEmbedding().embed(['a'], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
