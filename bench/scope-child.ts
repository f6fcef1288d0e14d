/**
 * One process that shares a scope, run by `dynamodb-scope.ts`: `URL cold` opens the store and searches once (and also prints CPU time), `URL agent N` adds and
 * searches
 * N times. Prints milliseconds as JSON.
 */
import module from 'node:module'
import { openMemory } from '../src/engine/open-memory.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { timed } from './report.ts'
import { instantEmbedding, PROJECT, Synthetic } from './synthetic.ts'

// As the program does.
module.enableCompileCache()
const [url, role, rounds = '1'] = process.argv.slice(2)
const synthetic = new Synthetic(process.pid)
const storage = await openStorage(url)
const [started, before] = [performance.now(), process.cpuUsage()]
const memory = await openMemory({ storage, embedding: instantEmbedding(), relations: null })
const search = () => memory.search({ query: synthetic.text(9), identifiers: PROJECT, layers: ['project'] })
const times: number[] = []
if (role === 'cold') {
  await search()
  const { user, system } = process.cpuUsage(before)
  times.push(performance.now() - started, (user + system) / 1000)
} else {
  await search()
  // All begin together, as far as processes can.
  process.stdout.write('ready\n')
  await new Promise((resolve) => process.stdin.once('data', resolve))
  for (let round = 0; round < Number(rounds); round++) {
    const content = `${synthetic.text(14)} ${process.pid} ${round}`
    await memory.add({ exact: true, content, layer: 'project', identifiers: PROJECT })
    times.push(await timed(search))
  }
}
await memory.shutdown()
process.stdout.write(`${JSON.stringify(times)}\n`)
process.exit()
