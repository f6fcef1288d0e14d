/** The tables of a store. The first two follow the published contract: their keys never change. */
export const TABLES = {
  'agent-memories': { keys: ['agentProjectKey', 'createdAt'], indexes: { 'id-index': ['id'] } },
  'agent-personalities': { keys: ['agentName'], indexes: {} },
  /** One item per unique thing: the location of a memory id, once-keys, commit keys, vectors of texts. */
  'agent-memory-keys': { keys: ['key'], indexes: {} },
  'agent-memory-changes': { keys: ['memory', 'version'], indexes: {} },
  /** Write counts of each partition, in shards, and the statistics of the store. */
  'agent-memory-counters': { keys: ['owner', 'shard'], indexes: {} },
  'agent-sessions': { keys: ['id'], indexes: { 'place-index': ['place', 'order'] } },
  'agent-injections': {
    keys: ['id'],
    indexes: { 'session-index': ['session', 'order'], 'memory-index': ['memory', 'order'] },
  },
  'agent-events': {
    keys: ['id'],
    indexes: { 'project-index': ['project', 'order'], 'session-index': ['session', 'order'] },
  },
  'agent-documents': { keys: ['collection', 'key'], indexes: {} },
} as const satisfies Record<string, { keys: readonly string[]; indexes: Record<string, readonly string[]> }>

export type TableName = keyof typeof TABLES
export const TABLE_NAMES = Object.keys(TABLES) as TableName[]

/** Numeric key attributes; all others are strings. */
export const NUMBERS: ReadonlySet<string> = new Set(['version'])
/** The attributes that an index projects besides the keys; all by default. */
export const CARRIED: Record<string, readonly string[]> = { 'id-index': [] }

/** The version of what items mean. Version 2 came with the hidden partitions and the feeds. */
export const SCHEMA_VERSION = 2
/** The oldest version whose programs work on a store of this one; see `NEWEST` and `PREVIOUS` of PostgreSQL. */
export const PREVIOUS_VERSION = 1
/** The item of 'agent-memory-keys' that holds the oldest version a program must know. */
export const SCHEMA_KEY = '@schema'

/** The attribute for DynamoDB's own expiry, in seconds since 1970, and the tables that use it. */
export const TTL_ATTRIBUTE = 'ttl'
export const WITH_TTL: readonly TableName[] = ['agent-memories', 'agent-memory-keys']
