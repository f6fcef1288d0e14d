/** Whether a server continues while another process holds the file's lock. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemory } from '../src/engine/open-memory.ts'
import { digits, type Section, since } from './report.ts'
import { instantEmbedding, PROJECT } from './synthetic.ts'

const LOCKED_MS = 10_000
const TICK_MS = 50

const HOLD = `
const db = new (require('node:sqlite').DatabaseSync)(process.argv[1])
db.exec('BEGIN IMMEDIATE')
console.log('held')
setTimeout(() => db.exec('ROLLBACK'), ${LOCKED_MS})`

export async function benchLock(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const path = join(folder, 'memory.db')
  const engine = await openMemory({ storage: `sqlite:${path}`, embedding: instantEmbedding() })
  const mine = engine.as(PROJECT)
  await mine.add({ content: 'Kept before the lock', layer: 'project' })
  const holder = spawn(process.execPath, ['-e', HOLD, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout!, 'data')
  const { longest, slowest, written } = await serve(holder, {
    read: () => mine.search({ query: 'before the lock' }),
    write: () => mine.add({ content: 'Written after the lock', layer: 'project' }),
  })
  await engine.shutdown()
  rmSync(folder, { recursive: true })
  return {
    title: `A ${TICK_MS} ms timer while another process holds the lock for ${LOCKED_MS / 1000} s`,
    rows: [
      {
        'largest gap, ms': digits(longest, 0),
        'slowest search meanwhile, ms': digits(slowest, 0),
        'written after, s': digits(written / 1000, 1),
      },
    ],
    checks: [
      { claim: 'the largest gap between two ticks', measured: longest, bar: 150, better: 'less', unit: 'ms' },
      {
        claim: 'the slowest search while the file is locked',
        measured: slowest,
        bar: 150,
        better: 'less',
        unit: 'ms',
      },
    ],
  }
}

/** Reads repeatedly until the lock is released, with one write waiting. */
async function serve(holder: ChildProcess, { read, write }: Record<'read' | 'write', () => Promise<unknown>>) {
  let [last, longest, slowest, isHeld] = [performance.now(), 0, 0, true]
  const timer = setInterval(() => {
    longest = Math.max(longest, since(last))
    last = performance.now()
  }, TICK_MS)
  holder.once('exit', () => {
    isHeld = false
  })
  const started = performance.now()
  const writing = write().then(() => since(started))
  while (isHeld) {
    const asked = performance.now()
    await read()
    slowest = Math.max(slowest, since(asked))
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  const written = await writing
  clearInterval(timer)
  return { longest, slowest, written }
}
