import { TABLE_NAMES, TABLES, type TableName } from '../../src/storage/dynamodb/schema.ts'

/** The tables with records that an engine adds to or changes; counters are only added up. */
const WRITTEN = TABLE_NAMES.filter((name) => name !== 'agent-memory-counters')

/**
 * What an engine does with each table, and nothing more. A transaction needs no right of its own: it needs those to put,
 * update and delete. Making tables is not among them.
 */
export const TABLE_ACTIONS: Record<string, readonly TableName[]> = {
  // Opening a store asks every table for an item.
  'dynamodb:BatchGetItem': TABLE_NAMES,
  // A key that is asked for alone.
  'dynamodb:GetItem': TABLE_NAMES,
  'dynamodb:Query': ['agent-memories', 'agent-memory-changes', 'agent-memory-counters', 'agent-documents'],
  // Whoever looks over the whole store, and purges.
  'dynamodb:Scan': [
    'agent-memories',
    'agent-personalities',
    'agent-memory-keys',
    'agent-memory-changes',
    'agent-sessions',
    'agent-injections',
    'agent-events',
  ],
  'dynamodb:PutItem': WRITTEN,
  'dynamodb:UpdateItem': ['agent-memory-counters'],
  'dynamodb:DeleteItem': [
    'agent-memories',
    'agent-memory-keys',
    'agent-personalities',
    'agent-sessions',
    'agent-documents',
  ],
  'dynamodb:BatchWriteItem': [
    'agent-memory-keys',
    'agent-memory-changes',
    'agent-memory-counters',
    'agent-injections',
    'agent-events',
  ],
}

/** What an engine does with an index of vectors, where the store has one. A filter needs the right to get them, too. */
export const VECTOR_ACTIONS = [
  'CreateIndex',
  'DeleteIndex',
  'DeleteVectors',
  'GetIndex',
  'GetVectors',
  'ListVectors',
  'PutVectors',
  'QueryVectors',
].map((action) => `s3vectors:${action}`)
/** On the bucket: tells an index that has gone from a bucket that has, and finds those that nobody uses. */
export const BUCKET_ACTION = 's3vectors:ListIndexes'

/** Every index is there to be queried. */
export const QUERIED_INDEXES: readonly (readonly [table: TableName, index: string])[] = TABLE_NAMES.flatMap((table) =>
  Object.keys(TABLES[table].indexes).map((index) => [table, index] as const),
)
