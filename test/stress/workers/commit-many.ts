import { MemoryError } from '../../../src/model/errors.ts'
import { openDirect } from '../direct-store.ts'

// Commits one memory after the other, without a pause. Like the engine, it retries if the store is busy.
const [path, name] = process.argv.slice(2)
const store = await openDirect(path!, { dimensions: 16, by: `process ${name}` })
for (let i = 0; i < 40; ) {
  try {
    await store.add([`Observation ${i} of process ${name}`], 'p')
    i++
  } catch (error) {
    if (MemoryError.is(error) && error.retryable) continue
    console.log(`error ${(error as Error).message}`)
    i++
  }
}
await store.storage.shutdown()
