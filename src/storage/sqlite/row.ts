import type { Identifiers, Layer } from '../../model/layer.ts'
import type { Category, JsonObject, Memory, Source, Tier } from '../../model/memory.ts'
import type { Change, DirectoryEntry, Session } from '../../model/records.ts'
import { MEMORY_COLUMNS, SESSION_OF } from './schema.ts'

/** What a query selects to read a memory from `memories m`. */
export const SELECT_MEMORY = `${MEMORY_COLUMNS.map((column) => `m.${column}`).join(', ')}, ${SESSION_OF('m')} AS session`

export interface MemoryRow {
  ulid: string
  observation: string
  scope: string
  identifiers: string
  category: string
  service: string | null
  source: string
  tags: string
  metadata: string
  anchor: string | null
  importance: number
  confidence: number
  active: number
  tier: number
  expires_at: string | null
  last_recalled_at: string | null
  recall_count: number
  created_at: string
  updated_at: string
  version: number
  session: string | null
}

/** The one place where snake_case ends. */
export function toMemory(row: MemoryRow): Memory {
  return {
    id: row.ulid,
    content: row.observation,
    layer: row.scope as Layer,
    identifiers: JSON.parse(row.identifiers) as Identifiers,
    category: row.category as Category,
    service: row.service,
    source: row.source as Source,
    tags: row.tags === '[]' ? [] : (JSON.parse(row.tags) as string[]),
    metadata: row.metadata === '{}' ? {} : (JSON.parse(row.metadata) as JsonObject),
    anchor: row.anchor,
    importance: row.importance,
    confidence: row.confidence,
    active: row.active === 1,
    tier: row.tier as Tier,
    session: row.session,
    expiresAt: row.expires_at,
    lastRecalledAt: row.last_recalled_at,
    recallCount: row.recall_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}

/** The inverse, for history that is written by hand (import). */
export function toRow(memory: Memory): MemoryRow {
  return {
    ulid: memory.id,
    observation: memory.content,
    scope: memory.layer,
    identifiers: JSON.stringify(memory.identifiers),
    category: memory.category,
    service: memory.service,
    source: memory.source,
    tags: JSON.stringify(memory.tags),
    metadata: JSON.stringify(memory.metadata),
    anchor: memory.anchor,
    importance: memory.importance,
    confidence: memory.confidence,
    active: memory.active ? 1 : 0,
    tier: memory.tier,
    expires_at: memory.expiresAt,
    last_recalled_at: memory.lastRecalledAt,
    recall_count: memory.recallCount,
    created_at: memory.createdAt,
    updated_at: memory.updatedAt,
    version: memory.version,
    session: memory.session,
  }
}

export interface ChangeRow {
  memory: string
  version: number
  operation: Change<Memory>['operation']
  at: string
  by: string
  before: string | null
  after: string | null
}

export function toChange(row: ChangeRow): Change<Memory> {
  const state = (json: string | null) => (json === null ? null : toMemory(JSON.parse(json) as MemoryRow))
  const { memory, version, operation, at, by } = row
  return { memory, version, operation, at, by, before: state(row.before), after: state(row.after) }
}

export interface SessionRow {
  key: string
  agent: string | null
  project: string | null
  tier: number | null
  role: string | null
  started_at: string
  ended_at: string | null
  exit_code: number | null
  outcome: string | null
}

export function toSession(row: SessionRow): Session {
  return {
    id: row.key,
    agent: row.agent,
    project: row.project,
    tier: row.tier as Tier | null,
    role: row.role,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    exitCode: row.exit_code,
    outcome: row.outcome,
  }
}

export interface DirectoryRow {
  layer: string
  id: string
  team_id: string | null
  org_id: string | null
  company_id: string | null
}

export function toDirectoryEntry(row: DirectoryRow): DirectoryEntry {
  return {
    layer: row.layer as DirectoryEntry['layer'],
    id: row.id,
    teamId: row.team_id,
    orgId: row.org_id,
    companyId: row.company_id,
  }
}
