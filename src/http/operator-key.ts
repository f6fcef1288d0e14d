import { createHash } from 'node:crypto'
import type { AccessToken } from '../model/records.ts'

/** The operator's id, where tokens have theirs. No token has this id. */
export const OPERATOR_ID = 'local'

/** The key of this machine's operator as a token that is not stored. */
export function operatorToken(key: string): AccessToken {
  return {
    id: OPERATOR_ID,
    name: 'local',
    hash: createHash('sha256').update(key).digest('hex'),
    scope: 'admin',
    identifiers: {},
    createdAt: new Date(0).toISOString(),
    lastUsedAt: null,
    revokedAt: null,
  }
}
