import { expect, it } from 'vitest'
import { inBatches } from './batches.ts'

it('every row is in one batch, and no run of several rows reads more than 512 tokens, as nothing else moves meanwhile', () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({ ids: Array.from({ length: 1 + ((i * 37) % 128) }, () => i) }))
  const batches = [...inBatches([...rows, { ids: Array(900).fill(1) }])]
  expect(new Set(batches.flat()).size).toBe(301)
  for (const batch of batches) {
    if (batch.length > 1) expect(batch.length * batch.at(-1)!.ids.length).toBeLessThanOrEqual(512)
  }
})
