import { DatabaseSync } from 'node:sqlite'

// Holds a lock on the file until its input ends: `write` the write lock, `read` a snapshot, `exclusive` the whole file.
const [path, kind] = process.argv.slice(2)
const db = new DatabaseSync(path!)
if (kind === 'exclusive') db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
else db.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN; SELECT count(*) FROM memories')
console.log('held')
process.stdin.resume().once('end', () => {
  db.exec('COMMIT')
  db.close()
})
