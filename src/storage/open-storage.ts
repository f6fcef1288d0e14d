import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { MemoryError, wrongSetting } from '../model/errors.ts'
import type { Storage } from './storage.ts'
import { storeAddress } from './store-address.ts'
import { registeredOpener } from './store-registry.ts'

const DEFAULT_STORE = 'sqlite:.nokosu/memory.db'

/** Opens the store at a URL, importing only that backend. */
export async function openStorage(given: string = DEFAULT_STORE): Promise<Storage> {
  const registered = registeredOpener(given)
  if (registered !== null) return registered(given.trim())
  const { kind, rest, url } = storeAddress(given)
  switch (kind) {
    case 'postgres':
    case 'postgresql': {
      const { postgresStorage } = await import('./postgres/postgres-storage.ts')
      return postgresStorage({ url })
    }
    case 'memory': {
      const { referenceStorage } = await import('./reference/reference-storage.ts')
      return referenceStorage()
    }
    case 'dynamodb': {
      const { dynamodbOptions, dynamodbStorage } = await import('./dynamodb/dynamodb-storage.ts')
      return dynamodbStorage(dynamodbOptions(url))
    }
    case 'http':
    case 'https':
      throw new MemoryError('UNSUPPORTED', `${url} is a server: its store is opened there, and here only its engine.`, {
        details: { key: 'db', hint: 'Run this on the machine of the server, with the address of its own store.' },
      })
    default: {
      const { sqliteStorage } = await import('./sqlite/sqlite-storage.ts')
      return sqliteStorage({ path: sqlitePath(rest) })
    }
  }
}

function sqlitePath(path: string): string {
  if (path === ':memory:') return path
  if (path === '') throw wrongSetting('db', 'A SQLite store needs a path: sqlite:path.')
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(path)
}
