import { text } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'

/** History names for callers without a token, and for the store's own changes. */
const RESERVED: ReadonlySet<string> = new Set([
  'local',
  'anonymous',
  'cli',
  'library',
  'mcp',
  'operator',
  'decay',
  'retention',
  'guard',
  'expiry',
  'reembed',
])

/** The name of a person or program. Names appear in the history, where `session:` and `(session` say which run made a change. */
export const userNameSchema = text(LIMITS.identifier)
  .regex(
    /^(?!session:)(?!.*\(session)[^\p{C}\p{Zl}\p{Zp}]+$/iu,
    'must be one line without invisible characters, must not begin with "session:" and must not contain "(session"',
  )
  .refine((name) => !RESERVED.has(name.trim().toLowerCase()), 'is already used in the history for somebody else')
