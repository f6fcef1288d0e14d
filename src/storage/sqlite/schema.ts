import { MemoryError } from '../../model/errors.ts'
import { missingCategories } from './categories.ts'
import type { Connection } from './connection.ts'

/** The application id in the header of our files: 'NOKO'. */
export const APPLICATION_ID = 0x4e4f4b4f

/** In order. What they do is in `migrate.ts`, which is loaded for a file that lacks one. */
const MIGRATION_NAMES = [
  ...(['005_memories', '017_agent_memories', '018_engine', '019_second_edition', '020_threads'] as const),
  ...(['021_foreign_rows', '022_one_schema', '023_pins_and_uses', '024_lasting', '025_published'] as const),
]
export type MigrationName = (typeof MIGRATION_NAMES)[number]

/** The newest schema version that this program knows. */
const SCHEMA_VERSION = MIGRATION_NAMES.length

export function applicationOf(connection: Connection): number {
  return connection.get<{ application_id: number }>('PRAGMA application_id')!.application_id
}

/** Nothing needs to be migrated. Call it on one snapshot: header and tables must be consistent if another process is migrating. */
export function isCurrent(connection: Connection): boolean {
  const isOurs = applicationOf(connection) === APPLICATION_ID
  return isOurs && missingMigrations(connection).length === 0 && missingCategories(connection).length === 0
}

/** Of a file of ours. */
export function missingMigrations(connection: Connection): MigrationName[] {
  const version = assertKnown(connection)
  const applied = new Set(connection.all<{ name: string }>('SELECT name FROM _migrations').map(({ name }) => name))
  return MIGRATION_NAMES.slice(version).filter((name) => !applied.has(name))
}

/** Refuses a schema that only newer versions know, also when a running process meets it. Returns the header's version. */
export function assertKnown(connection: Connection): number {
  const version = connection.get<{ user_version: number }>('PRAGMA user_version')!.user_version
  if (version <= SCHEMA_VERSION) return version
  throw new MemoryError(
    'PROVIDER_ERROR',
    `The database was written by a newer Nokosu (schema ${version}; this one knows ${SCHEMA_VERSION}). Upgrade Nokosu to open it.`,
    { retryable: false, details: { fileVersion: version, knownVersion: SCHEMA_VERSION } },
  )
}
