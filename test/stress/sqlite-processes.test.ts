import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBrokenInvariants } from './invariants.ts'
import { query } from './older-files.ts'
import { scratchFolder } from './scratch-folder.ts'
import { runWorker } from './worker-process.ts'

const PROCESSES = 8

test('eight processes that add, update, delete and search one file lose nothing and never see it busy', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const printed = (
    await Promise.all(Array.from({ length: PROCESSES }, (_, i) => runWorker('mix', [path, String(i), '60'])))
  ).flat()
  expect(printed.filter((line) => /^(error|stale)/.test(line))).toEqual([])

  const idsOf = (kind: string) =>
    printed.filter((line) => line.startsWith(`${kind} `)).map((line) => line.split(' ')[1]!)
  const [added, updated, deleted] = [idsOf('add'), idsOf('update'), new Set(idsOf('delete'))]
  expect(added.length).toBeGreaterThan(100)
  const stored = new Map(
    query(path, 'SELECT ulid, version FROM memories').map((row) => [row.ulid as string, row.version as number]),
  )
  expect([...stored.keys()].sort()).toEqual(added.filter((id) => !deleted.has(id)).sort())
  // Each acknowledged update is one version: none was overwritten by a writer that had not seen it.
  const updates = Map.groupBy(updated, (id) => id)
  for (const [id, version] of stored) expect([id, version]).toEqual([id, 1 + (updates.get(id)?.length ?? 0)])
  const recalls = Map.groupBy(idsOf('recall'), (id) => id)
  for (const { ulid, recall_count } of query(path, 'SELECT ulid, recall_count FROM memories')) {
    expect([ulid, recall_count]).toEqual([ulid, recalls.get(ulid as string)?.length ?? 0])
  }
  expect(query(path, 'SELECT count(*) AS n FROM sessions')).toEqual([{ n: 3 }])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('twenty-four processes that write at once are all served: nobody waits for ever', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const printed = await Promise.all(Array.from({ length: 24 }, (_, i) => runWorker('commit-many', [path, String(i)])))
  expect(printed.flat().filter((line) => line.startsWith('error'))).toEqual([])
  expect(query(path, 'SELECT count(*) AS n FROM memories')).toEqual([{ n: 24 * 40 }])
  expect(findBrokenInvariants(path)).toEqual([])
})
