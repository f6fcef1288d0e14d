/** The tables of a store. The first two are those of the published contract: their keys never change. */
export const TABLES = {
  'agent-memories': { keys: ['agentProjectKey', 'createdAt'], indexes: { 'id-index': ['id'] } },
  'agent-personalities': { keys: ['agentName'], indexes: {} },
  /** One item for each thing that there is once: where a memory's id lives, once-keys, keys of commits, vectors of texts. */
  'agent-memory-keys': { keys: ['key'], indexes: {} },
  'agent-memory-changes': { keys: ['memory', 'version'], indexes: {} },
  /** How often each partition was written, in shards; and the figures of the store. */
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

/** Key attributes that are numbers; all others are texts. */
export const NUMBERS: ReadonlySet<string> = new Set(['version'])
/** What an index carries besides the keys; by default everything. */
export const CARRIED: Record<string, readonly string[]> = { 'id-index': [] }

/** The attribute that DynamoDB itself deletes by, in seconds since 1970, and the tables that have it. */
export const TTL_ATTRIBUTE = 'ttl'
export const WITH_TTL: readonly TableName[] = ['agent-memories', 'agent-memory-keys']
