import { requireOperator } from '../../engine/operator.ts'
import { MemoryError } from '../../model/errors.ts'
import type { DynamodbOptions, TableDescription } from '../../storage/dynamodb/dynamodb-storage.ts'
import { defineCommand } from '../command.ts'
import { agree } from '../confirm.ts'
import { type GlobalOptions, readConfig } from '../open-engine.ts'
import { countOf, note, printJson, printLine, write } from '../output.ts'
import { shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'

const COLUMNS: readonly Column<TableDescription>[] = [
  { title: 'TABLE', value: ({ name }) => name },
  { title: 'STATUS', value: statusOf },
  { title: 'ITEMS', value: ({ items }) => String(items ?? '-'), align: 'right' },
  { title: 'BYTES', value: ({ bytes }) => String(bytes ?? '-'), align: 'right' },
  { title: 'EXPIRY', value: ({ ttl }) => (ttl === null ? '-' : ttl ? 'on' : 'off') },
]

function statusOf({ status, missingIndexes }: TableDescription): string {
  if (status === null) return 'missing'
  return missingIndexes.length === 0 ? status.toLowerCase() : `without ${missingIndexes.join(', ')}`
}

const create = defineCommand({
  async run(options) {
    requireNoRun()
    const { store, tables } = await openTables(options)
    const changed = await tables.createTables(store)
    if (options.json) return printJson({ changed })
    if (changed.length === 0) return printLine('All tables exist.')
    for (const name of changed) await printLine(`Created ${name}`)
  },
})

const describe = defineCommand({
  async run(options) {
    const { store, tables } = await openTables(options)
    const found = await tables.describeTables(store)
    if (options.json) return printJson(found)
    await write(formatTable(found, COLUMNS))
    if (found.some((table) => table.status === null || table.missingIndexes.length > 0)) {
      note("'nokosu tables create' creates what is missing.")
    }
  },
})

const remove = defineCommand({
  options: { '-y, --yes': 'do not ask' },
  async run(options) {
    requireNoRun()
    const { store, tables } = await openTables(options)
    const there = (await tables.describeTables(store)).filter(({ status }) => status !== null)
    const named = `${countOf(there.length, 'table', 'tables')} (${there.map(({ name }) => name).join(', ')})`
    const question = `Delete ${named} and everything in them? There is no undo.`
    if (there.length > 0 && !(await agree(question, options))) return note('Nothing was deleted.')
    const deleted = there.length > 0 ? await tables.deleteTables(store) : []
    if (options.json) return printJson({ deleted })
    if (deleted.length === 0) return printLine('There are no tables.')
    for (const name of deleted) await printLine(`Deleted ${name}`)
  },
})

export const { configure } = defineCommand({
  commands: {
    create: ['create the missing tables', create],
    describe: ['show the tables and their sizes', describe],
    delete: ['delete the tables and everything in them', remove],
  },
  help: `
A DynamoDB store is a set of tables, with on-demand capacity. Tables of another program are kept: 'create' adds what they lack.
Region and credentials come from the environment, as the AWS SDK reads them.

Examples:
  nokosu tables create --db 'dynamodb://eu-west-1?prefix=prod-'
  nokosu tables describe --db 'dynamodb://eu-west-1?prefix=prod-'
  nokosu tables delete --db 'dynamodb://eu-west-1?prefix=test-'`,
})

function requireNoRun(): void {
  requireOperator({ insideRun: Boolean(shell().env.NOKOSU_SESSION) }, { identifiers: null }, 'makes or deletes tables')
}

async function openTables(options: GlobalOptions) {
  const { db } = await readConfig(options)
  if (!db.startsWith('dynamodb:')) {
    throw new MemoryError('UNSUPPORTED', 'Only a DynamoDB store has tables to create: give --db dynamodb://region.', {
      details: { key: 'db' },
    })
  }
  const tables = await import('../../storage/dynamodb/dynamodb-storage.ts')
  const store: DynamodbOptions = tables.dynamodbOptions(db)
  return { store, tables }
}
