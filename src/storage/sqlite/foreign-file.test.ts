import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { readForeign } from './foreign-file.ts'

/** Tries to write from another process; false if the file is locked. */
function othersCanWrite(path: string): boolean {
  const script = `new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 0 }).exec('BEGIN IMMEDIATE')`
  return spawnSync(process.execPath, ['-e', script, path]).status === 0
}

it('keeps the locks that this process holds on the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-foreign-'))
  const path = join(folder, 'memory.db')
  const holder = new DatabaseSync(path)
  onTestFinished(() => {
    holder.close()
    rmSync(folder, { recursive: true })
  })
  holder.exec(`CREATE TABLE memories (id INTEGER PRIMARY KEY, observation TEXT); INSERT INTO memories VALUES (1, 'x')`)
  expect(othersCanWrite(path)).toBe(true)
  holder.exec('BEGIN EXCLUSIVE')
  expect(othersCanWrite(path)).toBe(false)
  await readForeign(path)
  expect(othersCanWrite(path)).toBe(false)
})
