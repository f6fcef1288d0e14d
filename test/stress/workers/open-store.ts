import { sqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'

// Opens the given file, waits for the common start signal, and reports the result.
const [path, at] = process.argv.slice(2)
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, Number(at) - Date.now()))
const storage = sqliteStorage({ path: path! })
await storage.initialize({ name: 'hashing:v1-16', dimensions: 16 })
console.log(`memories ${(await storage.stats()).memories}`)
await storage.shutdown()
