import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { findBrokenInvariants } from './invariants.ts'
import { query } from './older-files.ts'
import { runWorker } from './worker-process.ts'

test('twenty-four processes that write at once are all served: nobody waits for ever', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const printed = await Promise.all(Array.from({ length: 24 }, (_, i) => runWorker('commit-many', [path, String(i)])))
  expect(printed.flat().filter((line) => line.startsWith('error'))).toEqual([])
  expect(query(path, 'SELECT count(*) AS n FROM memories')).toEqual([{ n: 24 * 40 }])
  expect(findBrokenInvariants(path)).toEqual([])
})
