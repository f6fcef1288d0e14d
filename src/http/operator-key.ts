import { createHash } from 'node:crypto'
import type { AccessToken } from '../model/records.ts'

/** What the operator of this machine is called where tokens have ids. No token has such a one. */
export const OPERATOR_ID = 'local'

/** The key of this machine's operator as a token that is nowhere stored. */
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
