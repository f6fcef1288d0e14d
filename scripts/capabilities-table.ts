/** Writes the table of backend capabilities into docs/storage.md: `node scripts/capabilities-table.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dynamodbStorage } from '../src/storage/dynamodb/dynamodb-storage.ts'
import { postgresStorage } from '../src/storage/postgres/postgres-storage.ts'
import { referenceStorage } from '../src/storage/reference/reference-storage.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../src/storage/storage.ts'

const PAGE = join(import.meta.dirname, '../docs/storage.md')
const PART = /(<!-- capabilities: .*? -->\n).*?(<!-- end -->)/s

function capabilitiesTable(): string {
  const stores: Storage[] = [
    sqliteStorage({ path: ':memory:' }),
    postgresStorage({ url: 'postgres://host/database' }),
    dynamodbStorage({ region: 'local' }),
    referenceStorage(),
  ]
  const yes = (value: boolean) => (value ? 'yes' : 'no')
  const lines = stores.map(({ name, capabilities, follow }) => {
    const { vectorSearch, keywordSearch, maxWrites, maxBytes, maxContentLength } = capabilities
    const sizes = [maxWrites, maxBytes, maxContentLength].map((size) =>
      size >= Number.MAX_SAFE_INTEGER ? 'no bound' : size.toLocaleString('en'),
    )
    return [name, yes(vectorSearch), yes(keywordSearch), ...sizes, yes(follow !== undefined)]
  })
  const head = ['store', 'vectors', 'tokens', 'writes a commit', 'bytes a commit', 'characters', 'tells of writes']
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** The page with the current table. */
export function currentPage(): string {
  return readFileSync(PAGE, 'utf8').replace(PART, (_, start: string, end: string) => start + capabilitiesTable() + end)
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, currentPage())
