/** Admission against many neighbours, and a sweep over a large store. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemory } from '../src/engine/open-memory.ts'
import type { Candidate } from '../src/model/candidate.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { digits, type Section, time } from './report.ts'
import { fill, instantEmbedding, PROJECT, Synthetic } from './synthetic.ts'

export async function benchLifecycle(): Promise<Section> {
  const admission = await measureAdmission(1200)
  const sweep = await measureSweep(100_000)
  return {
    title: 'Admission and sweep, milliseconds',
    rows: [{ ...admission.row, ...sweep }],
    checks: [
      {
        claim: 'admit among 1,200 neighbours, against one hybrid search',
        measured: admission.ratio,
        bar: 3,
        better: 'less',
        unit: 'times',
      },
    ],
  }
}

/** A dry run covers everything from guard to decision and leaves the store unchanged. */
async function measureAdmission(neighbours: number) {
  const storage = sqliteStorage({ path: ':memory:' })
  const engine = await openMemory({ storage, embedding: instantEmbedding() })
  await fill(storage, neighbours)
  const synthetic = new Synthetic(21)
  const texts = Array.from({ length: 200 }, () => synthetic.text(14))
  const candidate = (content: string): Candidate => ({
    content,
    category: 'learning',
    service: null,
    source: 'extraction',
    tags: [],
    metadata: {},
    anchor: null,
    importance: 50,
  })
  const admit = await time(100, (i) => engine.remember([candidate(texts[i]!)], { identifiers: PROJECT, dryRun: true }))
  const search = await time(100, (i) =>
    engine.search({ query: texts[100 + i]!, identifiers: PROJECT, layers: ['project'] }),
  )
  await engine.shutdown()
  return {
    row: { 'admit among 1,200': digits(admit.median), 'hybrid search of them': digits(search.median) },
    ratio: admit.median / search.median,
  }
}

async function measureSweep(size: number) {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const storage = sqliteStorage({ path: join(folder, 'memory.db') })
  const engine = await openMemory({ storage, embedding: instantEmbedding() })
  await fill(storage, size)
  const started = performance.now()
  const { decayed } = await engine.sweep()
  const first = performance.now()
  await engine.sweep()
  const second = performance.now()
  await engine.shutdown()
  rmSync(folder, { recursive: true })
  return {
    [`sweep of ${size.toLocaleString('en')} (${decayed.toLocaleString('en')} decayed)`]: digits(first - started, 0),
    'sweep again': digits(second - first, 0),
  }
}
