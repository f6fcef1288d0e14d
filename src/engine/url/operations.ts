/** How an engine operation travels to a server. */
export interface RemoteOperation {
  needs: 'read' | 'write' | 'admin'
  /** The arguments that may contain identifiers. */
  claim?: readonly number[]
  /** It names its object by id, which is enough. */
  byId?: true
  /** The argument with a key: a call with one is retried after a lost answer, and changes nothing the second time. */
  key?: number
  /** It applies to the whole store: no bound token opens it. */
  whole?: true
}

/** What every caller can do, by the engine's own names. */
const OWN = {
  add: { needs: 'write', claim: [0, 1], key: 1 },
  bulkAdd: { needs: 'write', key: 1 },
  search: { needs: 'read', claim: [0, 1] },
  get: { needs: 'read', claim: [1], byId: true },
  update: { needs: 'write', claim: [2], byId: true, key: 2 },
  delete: { needs: 'write', claim: [1], byId: true, key: 1 },
  bulkDelete: { needs: 'write', claim: [1], byId: true, key: 1 },
  list: { needs: 'read', claim: [0] },
  generateEmbedding: { needs: 'read' },
  capture: { needs: 'write', claim: [1], key: 1 },
  record: { needs: 'write', key: 1 },
  remember: { needs: 'write', claim: [1], key: 1 },
  // With a session the showing is recorded, which needs write access: the server checks.
  context: { needs: 'read', claim: [0], key: 0 },
  recall: { needs: 'read', claim: [0], key: 0 },
  review: { needs: 'admin', claim: [2], byId: true, key: 2 },
  decisions: { needs: 'read', claim: [1], byId: true },
  undo: { needs: 'admin', claim: [1], byId: true, key: 1 },
  settle: { needs: 'admin', claim: [2], byId: true, key: 2 },
  retract: { needs: 'admin', claim: [1], byId: true },
  history: { needs: 'read', claim: [1], byId: true },
  usefulness: { needs: 'read', claim: [1], byId: true },
  restore: { needs: 'write', claim: [1], byId: true },
  deleted: { needs: 'read', claim: [0] },
  findIds: { needs: 'read', claim: [1] },
  tally: { needs: 'read', claim: [0] },
  beginSession: { needs: 'write', key: 0 },
  endSession: { needs: 'write', key: 1 },
  session: { needs: 'read', claim: [1], byId: true },
  sessions: { needs: 'read', claim: [0] },
  runs: { needs: 'read', claim: [0] },
  standings: { needs: 'read', claim: [0] },
  asOf: { needs: 'read', claim: [0], byId: true },
  fleet: { needs: 'read', claim: [0] },
  recordShowing: { needs: 'write', claim: [0], key: 0 },
  injections: { needs: 'read', claim: [0], byId: true },
  events: { needs: 'read', claim: [0] },
  prune: { needs: 'write' },
  export: { needs: 'read', claim: [0] },
  'personality.get': { needs: 'read' },
  'personality.profile': { needs: 'read' },
  'personality.list': { needs: 'read' },
  'personality.set': { needs: 'admin', whole: true },
  'personality.delete': { needs: 'admin', whole: true },
} as const satisfies Record<string, RemoteOperation>

/** Operations on the whole store. */
const WHOLE = {
  healthCheck: { needs: 'read' },
  // It also counts held memories.
  stats: { needs: 'admin', whole: true },
  sweep: { needs: 'admin', whole: true },
  purge: { needs: 'admin', whole: true },
  reembed: { needs: 'admin', whole: true },
  import: { needs: 'admin', whole: true },
  audit: { needs: 'admin', whole: true },
  'directory.list': { needs: 'admin', whole: true },
  'directory.set': { needs: 'admin', whole: true },
  'directory.remove': { needs: 'admin', whole: true },
  'tokens.create': { needs: 'admin', whole: true },
  'tokens.list': { needs: 'admin', whole: true },
  'tokens.revoke': { needs: 'admin', whole: true },
} as const satisfies Record<string, RemoteOperation>

export type OwnName = keyof typeof OWN
export type WholeName = keyof typeof WHOLE
export type RemoteName = OwnName | WholeName

export const OWN_OPERATIONS: Readonly<Record<OwnName, RemoteOperation>> = OWN
export const WHOLE_OPERATIONS: Readonly<Record<WholeName, RemoteOperation>> = WHOLE
