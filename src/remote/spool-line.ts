import { createHash } from 'node:crypto'
import { z } from 'zod'
import { identifiersSchema, layerSchema, text, tierSchema } from '../model/fields.ts'
import { sessionSchema } from '../model/records.ts'
import type { CallName } from './protocol.ts'
import type { SpoolRecord } from './spool-file.ts'

/** What a process leaves in its spool: calls that change something. */
const SPOOLED = ['beginSession', 'endSession', 'recordShowing', 'remember', 'record'] as const satisfies CallName[]

const recordSchema = z.strictObject({ key: text(128), call: z.enum(SPOOLED), input: z.unknown() })

/** The lines that version 0.1.0 wrote. */
const formerSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('remember'),
    candidate: z.unknown(),
    target: z.strictObject({
      identifiers: identifiersSchema,
      session: text(128),
      layer: layerSchema.optional(),
      tier: tierSchema.optional(),
    }),
  }),
  z.strictObject({ kind: z.literal('session'), session: sessionSchema }),
  /** Which run was shown what, without saying who it was: of no use now. */
  z.strictObject({ kind: z.literal('injection'), injection: z.unknown() }),
  /** How many observations the store had taken. Their session makes them repeatable. */
  z.strictObject({ kind: z.literal('stored'), count: z.number() }),
])

/** The records of one line; null when it is not a line of a spool. */
export function readSpoolLine(line: string, value: unknown): SpoolRecord[] | null {
  const record = recordSchema.safeParse(value)
  if (record.success) return [record.data as SpoolRecord]
  const former = formerSchema.safeParse(value)
  return former.success ? toRecords(former.data, createHash('sha256').update(line).digest('hex').slice(0, 32)) : null
}

function toRecords(former: z.output<typeof formerSchema>, key: string): SpoolRecord[] {
  if (former.kind === 'remember') {
    return [{ key, call: 'remember', input: { candidate: former.candidate, ...former.target } }]
  }
  if (former.kind !== 'session') return []
  const { id, startedAt, endedAt, exitCode, outcome, ...known } = former.session
  const begin = { key: `${key}:begin`, call: 'beginSession', input: { id, at: startedAt, ...withoutNulls(known) } }
  if (endedAt === null) return [begin]
  const end = { id, at: endedAt, ...withoutNulls({ exitCode, outcome }) }
  return [begin, { key: `${key}:end`, call: 'endSession', input: end }]
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
