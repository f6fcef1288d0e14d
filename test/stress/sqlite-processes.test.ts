import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBrokenInvariants } from './invariants.ts'
import { query } from './older-files.ts'
import { scratchFolder } from './scratch-folder.ts'
import { sequence } from './sentences.ts'
import { runWorker, startWorker } from './worker-process.ts'

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

test('what was acknowledged before kill -9 is there afterwards, fifteen times over', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const random = sequence(99)
  const added = new Set<string>()
  const maybeDeleted = new Set<string>()
  const deleted = new Set<string>()
  const versions = new Map<string, number>()
  for (let round = 0; round < 15; round++) {
    const writers = [
      startWorker('write-until-killed', [path, String(2 * round + 1)]),
      startWorker('write-until-killed', [path, String(2 * round + 2)]),
    ]
    await Promise.all(writers.map((writer) => writer.printed('ready')))
    for (const writer of writers) {
      const enough = 10 + random() * 30
      await expect.poll(() => writer.lines.length, { interval: 2 }).toBeGreaterThan(enough)
      writer.child.kill('SIGKILL')
    }
    for (const writer of writers) {
      expect((await writer.ended).signal).toBe('SIGKILL')
      for (const line of writer.lines) {
        const [kind, id = '', version] = line.split(' ')
        if (kind === 'add') added.add(id)
        if (kind === 'deleting') maybeDeleted.add(id)
        if (kind === 'delete') deleted.add(id)
        if (kind === 'update') versions.set(id, Number(version))
      }
    }
    const stored = new Map(
      query(path, 'SELECT ulid, version FROM memories').map((row) => [row.ulid as string, row.version as number]),
    )
    for (const id of added) if (!maybeDeleted.has(id)) expect(stored.has(id), `round ${round}: ${id}`).toBe(true)
    for (const id of deleted) expect(stored.has(id), `round ${round}: ${id}`).toBe(false)
    for (const [id, version] of versions) if (stored.has(id)) expect(stored.get(id)).toBeGreaterThanOrEqual(version)
    const batches = query(
      path,
      `SELECT tags, count(*) AS n FROM memories WHERE tags <> '[]' GROUP BY tags HAVING n <> 20`,
    )
    expect(batches, 'a batch is there whole or not at all').toEqual([])
    expect(findBrokenInvariants(path), `round ${round}`).toEqual([])
  }
  expect(added.size).toBeGreaterThan(100)
  expect(query(path, 'SELECT count(*) AS n FROM vector_pages')[0]!.n).toBeGreaterThan(0)
})
