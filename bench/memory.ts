/** The resident memory of a million memories, measured in a separate process. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemory } from '../src/engine/open-memory.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { digits, type Section, time } from './report.ts'
import { fill, instantEmbedding, MODEL, PROJECT, Synthetic } from './synthetic.ts'

export async function benchMemory(size: number): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const path = join(folder, 'memory.db')
  const storage = sqliteStorage({ path, durability: 'normal' })
  await storage.initialize(MODEL)
  const started = performance.now()
  await fill(storage, size)
  const filled = performance.now() - started
  await storage.shutdown()
  const measured = JSON.parse(
    execFileSync(process.execPath, [import.meta.filename, path], { encoding: 'utf8' }),
  ) as Record<string, number>
  rmSync(folder, { recursive: true })
  return {
    title: `A million memories in one process (${size.toLocaleString('en')})`,
    rows: [{ 'filled in s': digits(filled / 1000, 0), ...measured }],
    checks: [
      {
        claim: 'resident set while searching 1M',
        measured: measured['resident MiB']!,
        bar: 1024,
        better: 'less',
        unit: 'MiB',
      },
    ],
  }
}

if (import.meta.main) {
  const engine = await openMemory({ storage: sqliteStorage({ path: process.argv[2]! }), embedding: instantEmbedding() })
  const synthetic = new Synthetic(11)
  const search = () =>
    engine.search({
      query: synthetic.text(9),
      vector: synthetic.clustered(),
      identifiers: PROJECT,
      layers: ['project'],
    })
  const started = performance.now()
  await search()
  const first = performance.now() - started
  const { median, p95 } = await time(20, search)
  const resident = process.resourceUsage().maxRSS / 1024
  await engine.shutdown()
  console.log(
    JSON.stringify({
      'first search ms': digits(first, 0),
      'search ms': digits(median),
      'p95 ms': digits(p95),
      'resident MiB': digits(resident, 0),
    }),
  )
}
