import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import { shownUrl } from './shown-url.ts'
import type { Storage } from './storage.ts'

const DEFAULT_STORE = 'sqlite:.nokosu/memory.db'

/** Opens the store that a URL names, importing that backend only. */
export async function openStorage(url: string = DEFAULT_STORE): Promise<Storage> {
  const [, scheme, rest] = /^([a-z][a-z0-9+]*):(.*)$/s.exec(url) ?? [null, 'sqlite', url]
  switch (scheme) {
    case 'sqlite': {
      const { sqliteStorage } = await import('./sqlite/sqlite-storage.ts')
      return sqliteStorage({ path: sqlitePath(rest!) })
    }
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
    case 'https': {
      const { httpStorage } = await import('./http/http-storage.ts')
      const token = process.env.NOKOSU_TOKEN?.trim()
      return httpStorage({ url, ...(token ? { token } : {}) })
    }
    default:
      throw new MemoryError(
        'CONFIGURATION_ERROR',
        `Cannot open '${shownUrl(url)}': use sqlite:path, postgres://host/database, dynamodb://region, https://server or memory:.`,
        {
          details: { key: 'db', scheme },
        },
      )
  }
}

function sqlitePath(path: string): string {
  if (path === ':memory:') return path
  if (path === '')
    throw new MemoryError('CONFIGURATION_ERROR', 'A SQLite store needs a path: sqlite:path.', {
      details: { key: 'db' },
    })
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(path)
}
