import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config/load-config.ts'
import { storeFile } from '../config/prepare-store.ts'
import { besideStore, stateFolder } from '../remote/spool-folders.ts'
import { shell } from './shell.ts'

const KEY = /^nko_[A-Za-z0-9_-]{43}$/

/**
 * This machine's operator key for a server without tokens: a file next to the store that only this user can read,
 * so that sign-ins survive a restart. Null if it cannot be stored: then each start has its own.
 */
export function operatorKey({ db }: Pick<Config, 'db'>): { key: string; file: string | null } {
  const file = keyFile(db)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return { key: readKey(file) ?? createKey(file), file }
  } catch {
    return { key: newKey(), file: null }
  }
}

function keyFile(db: string): string {
  const store = storeFile(db)
  if (store !== null) return besideStore(store, 'operator-key')
  const name = createHash('sha256').update(db).digest('hex').slice(0, 16)
  return join(stateFolder(shell().env), 'nokosu', `operator-key-${name}`)
}

/** Null: it does not exist, or others could have read or written it. */
function readKey(file: string): string | null {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) return null
  const isOurs = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0)
  if (!isOurs) return null
  const key = readFileSync(file, 'utf8').trim()
  return KEY.test(key) ? key : null
}

/** If several servers start at once, the last key wins; the other servers' sign-ins end with them. */
function createKey(file: string): string {
  const key = newKey()
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(draft, file)
  return key
}

function newKey(): string {
  return `nko_${randomBytes(32).toString('base64url')}`
}
