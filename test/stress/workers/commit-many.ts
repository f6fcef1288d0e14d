import { openDirect } from '../direct-store.ts'

// Commits one memory after the other, without a pause.
const [path, name] = process.argv.slice(2)
const store = await openDirect(path!, { dimensions: 16, by: `process ${name}` })
for (let i = 0; i < 40; i++) {
  try {
    await store.add([`Observation ${i} of process ${name}`], 'p')
  } catch (error) {
    console.log(`error ${(error as Error).message}`)
  }
}
await store.storage.shutdown()
