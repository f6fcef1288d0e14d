/** The first search in a new process. run.ts starts it with a system, its folder, and a file with a question and its vector. */

import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { PEERS } from './peers.ts'
import { lookUp } from './statements.ts'

export interface Cold {
  imports: number
  open: number
  search: number
  /** Processor time of all three, and of the imports. */
  processor: number
  importing: number
}

const [name, folder, file] = process.argv.slice(2) as [string, string, string]
const { question, vector } = JSON.parse(readFileSync(file, 'utf8')) as { question: string; vector: number[] }
const embed = lookUp(new Map([[question, Float32Array.from(vector)]]))
const peer = PEERS[name]!

const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const [started, before] = [performance.now(), used()]
for (const each of peer.packages) await import(each)
const [imported, importing] = [performance.now(), used() - before]
const opened = await peer.open({ folder, embed, database: '' })
const ready = performance.now()
const found = await opened.search(question)
const search = performance.now() - ready
const cold: Cold = {
  imports: imported - started,
  open: ready - imported,
  search,
  processor: used() - before,
  importing,
}
if (found.length === 0) throw new Error(`${name} found nothing`)
process.stdout.write(JSON.stringify(cold))
process.exit(0)
