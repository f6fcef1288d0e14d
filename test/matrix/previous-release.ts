import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { openMemory } from '../../src/engine/open-memory.ts'
import type { createTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import type { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts'

/** The last released commit. `PREVIOUS` in the schemas refers to it. */
const RELEASED = '6124edc'
const ROOT = join(import.meta.dirname, '../..')

export interface PreviousRelease {
  openMemory: typeof openMemory
  dynamodbStorage: typeof dynamodbStorage
  createTables: typeof createTables
  postgresStorage: typeof postgresStorage
}

/** The engine and stores of the previous release, from the repository's history. Await it at the top of a file. */
export async function previousRelease(): Promise<PreviousRelease> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-previous-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  try {
    const archive = execFileSync('git', ['archive', RELEASED, 'src', 'package.json'], { cwd: ROOT, maxBuffer: 1e9 })
    execFileSync('tar', ['x'], { cwd: folder, input: archive })
  } catch (cause) {
    throw new Error(`The release ${RELEASED} is not in this clone: git fetch --unshallow.`, { cause })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const files = ['engine/open-memory', 'storage/dynamodb/dynamodb-storage', 'storage/postgres/postgres-storage']
  const [engine, dynamodb, postgres] = await Promise.all(files.map((file) => import(join(folder, 'src', `${file}.ts`))))
  const { createTables, dynamodbStorage } = dynamodb
  return {
    ...{ openMemory: engine.openMemory, postgresStorage: postgres.postgresStorage },
    ...{ createTables, dynamodbStorage },
  }
}
