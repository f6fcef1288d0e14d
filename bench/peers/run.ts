/**
 * Nokosu beside other memories, in one run on one machine with one embedding:
 *
 *   npm ci --prefix bench/peers
 *   node bench/peers/run.ts [--sizes 1000,10000] [--rounds 5] [--only Nokosu,mem0ai]
 *
 * Prints tables, and writes `bench/results/peers.json`. Exits 1 when a bar is missed.
 */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { spread } from '../report.ts'
import type { Cold } from './cold.ts'
import type { Measured } from './measured.ts'
import type { Answer, Order } from './order.ts'
import { PEERS } from './peers.ts'
import { report } from './report.ts'
import { RESERVED, realStatements, type Statement, toFill, vectorsOf } from './statements.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: Object.keys(PEERS).join(',') },
  },
})
const ROUNDS = Number(values.rounds)
/** Operations per round and system. */
const ADDED = 20
const BULK = 60
const LIVE = 8
const ASKED = 20
const WARM_UP = 150
/** A slow system stops after this time. */
const SECONDS = 3
const FILL_PART = 1000

const folder = mkdtempSync(join(tmpdir(), 'nokosu-peers-'))
/** Filling is not measured, and some take minutes when each statement waits for the disk. */
const inMemory = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/nokosu-peers-') : folder
const names = values.only.split(',')
const measured: Measured[] = []
execFileSync('npm', ['run', '-s', 'build', '--', '--if-stale'], { stdio: 'inherit' })
const load = loadavg()[0]!.toFixed(1)
for (const size of values.sizes.split(',').map(Number)) measured.push(...(await measureAt(size)))
for (const each of new Set([folder, inMemory])) rmSync(each, { recursive: true })
const command = ['node bench/peers/run.ts', ...process.argv.slice(2)].join(' ')
process.exitCode = report(measured, { load: `${load}, ${loadavg()[0]!.toFixed(1)}`, command }) ? 0 : 1

async function measureAt(size: number): Promise<Measured[]> {
  const fill = toFill(size)
  const fresh = realStatements().slice(0, RESERVED)
  const asked = fill.slice(0, ASKED * ROUNDS)
  say(`${size} memories: embedding`)
  const vectors = await vectorsOf([
    ...realStatements()
      .slice(0, RESERVED + Math.min(size, realStatements().length - RESERVED))
      .map(({ text }) => text),
    ...asked.map(({ question }) => question),
  ])
  const file = join(folder, 'question.json')
  // The text of a statement, which even a search for part of the text finds.
  const { text: question } = fill[0]!
  writeFileSync(file, JSON.stringify({ question, vector: [...vectors.get(question)!] }))
  const systems: System[] = []
  for (const name of names) systems.push(await fillSystem(name, size, fill, file))
  for (const system of systems) await system.open()
  for (let round = 0; round < ROUNDS; round++) {
    say(`${size} memories: round ${round + 1}`)
    // Each system goes first in one round.
    const turn = systems.map((_, i) => systems[(i + round) % systems.length]!)
    const part = (from: number, count: number) => fresh.slice(from + round * count, from + (round + 1) * count)
    for (const system of turn) {
      await system.add('add', part(0, ADDED))
      await system.bulk(part((ADDED + LIVE) * ROUNDS, BULK))
      await system.search(asked.slice(round * ASKED, (round + 1) * ASKED))
      if (round === 0) await system.weigh()
      await system.add('live', part(ADDED * ROUNDS, LIVE))
      system.cold()
    }
  }
  for (const system of systems) await system.close()
  return systems.map(({ measured }) => measured)
}

type System = Awaited<ReturnType<typeof fillSystem>>

/** Fills a system in a process that then ends, so that its size on disk can be measured. */
async function fillSystem(name: string, memories: number, statements: readonly Statement[], question: string) {
  const own = `${name.replace(/\W+/g, '-')}-${memories}`
  const [place, quick] = [join(folder, own), join(inMemory, own)]
  mkdirSync(quick)
  const { persistent } = PEERS[name]!
  const measured: Measured = { system: name, memories, rounds: {}, once: {} }
  const note = (measure: string, value: number | undefined) => {
    if (value !== undefined) measured.rounds[measure] = [...(measured.rounds[measure] ?? []), value]
  }
  let worker = await startWorker(name, quick)
  say(`${memories} memories: filling ${name}`)
  for (let from = 0; from < statements.length; from += FILL_PART) {
    const texts = statements.slice(from, from + FILL_PART).map(({ text }) => text)
    await worker.ask({ do: 'fill', texts })
  }
  if (persistent) {
    await worker.end()
    if (quick !== place) {
      cpSync(quick, place, { recursive: true })
      rmSync(quick, { recursive: true })
    }
    measured.once['disk, MB'] = sizeOf(place) / 1e6
  }
  return {
    measured,
    async open() {
      if (persistent) worker = await startWorker(name, place)
      // As in a process that has served for a while.
      const texts = statements.slice(0, WARM_UP).map(({ text }) => text)
      await worker.ask({ do: 'search', texts, expected: texts, seconds: SECONDS })
      await worker.ask({ do: 'add', texts: [`A first note, for ${name}.`], seconds: SECONDS })
    },
    async add(kind: 'add' | 'live', part: readonly Statement[]) {
      const texts = part.map(({ text }) => text)
      const { times, processor } = await worker.ask({ do: 'add', texts, seconds: SECONDS, live: kind === 'live' })
      const measure = kind === 'add' ? 'add' : 'add, embedded'
      note(`${measure}, ms`, mean(times!))
      note(`${measure}, processor ms`, processor)
    },
    async bulk(part: readonly Statement[]) {
      const { times, processor } = await worker.ask({ do: 'bulk', texts: part.map(({ text }) => text) })
      note('bulk, ms each', times![0])
      note('bulk, processor ms each', processor)
    },
    async search(part: readonly Statement[]) {
      const [texts, expected] = [part.map(({ question }) => question), part.map(({ text }) => text)]
      const { times, processor, found } = await worker.ask({ do: 'search', texts, expected, seconds: SECONDS })
      note('search, ms', spread(times!).median)
      note('search, processor ms', processor)
      note('found', found)
    },
    cold() {
      if (!persistent) return
      const args = [join(import.meta.dirname, 'cold.ts'), name, place, question]
      const cold = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Cold
      note('cold, ms', cold.imports + cold.open + cold.search)
      note('of it imports, ms', cold.imports)
      note('cold, processor ms', cold.processor)
      note('of it imports, processor ms', cold.importing)
    },
    /** Before its process embeds anything. */
    async weigh() {
      const { memory } = await worker.ask({ do: 'weigh' })
      measured.once['memory, MB'] = memory! / 1e6
      // Loads the embedding.
      await worker.ask({ do: 'add', texts: [`A second note, for ${name}.`], seconds: SECONDS, live: true })
    },
    close: () => worker.end(),
  }
}

async function startWorker(peer: string, place: string) {
  const worker = fork(join(import.meta.dirname, 'worker.ts'), {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ask = async (order: Order): Promise<Answer> => {
    worker.send(order)
    const [answer] = (await once(worker, 'message')) as [Answer]
    if (answer.error !== undefined) throw new Error(`${peer}: ${answer.error}`)
    return answer
  }
  await ask({ do: 'open', peer, folder: place, database: '' })
  return {
    ask,
    async end(): Promise<void> {
      await ask({ do: 'close' })
      worker.kill()
      await once(worker, 'exit')
    },
  }
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, time) => sum + time, 0) / times.length
}

function sizeOf(place: string): number {
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

function say(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`)
}
