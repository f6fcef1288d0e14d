import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { invalidInput, MemoryError } from '../model/errors.ts'
import { identifiersSchema, idSchema } from '../model/fields.ts'
import type { Identifiers } from '../model/layer.ts'
import { parseInput } from '../model/parse.ts'
import type { Stoppable } from '../model/provider.ts'
import { type AccessToken, accessTokenSchema, type Quota, quotaSchema } from '../model/records.ts'
import type { Caller, Core } from './core.ts'
import { requireOperator } from './operator.ts'
import { openRunToken, parentOf } from './run-token.ts'
import { userNameSchema } from './user-name.ts'
import { commitAll } from './write.ts'

/** What is known about a token: everything but its secret. */
export type TokenInfo = Omit<AccessToken, 'hash'>

export interface NewToken {
  name: string
  scope: AccessToken['scope']
  /** What its bearer is bound to; none: it may claim any identity. */
  identifiers?: Identifiers
  /** Limits of its own, besides the server's. */
  quota?: Quota
}

/** Access tokens for the server. */
export interface Tokens {
  /** `secret` is the token itself. It is not stored, so it is only available here. */
  create(input: NewToken & Stoppable): Promise<{ token: TokenInfo; secret: string }>
  /** Newest first, including revoked ones. */
  list(options?: Stoppable): Promise<TokenInfo[]>
  /** By id or name. A revoked token stays revoked. */
  revoke(id: string, options?: Stoppable): Promise<TokenInfo>
  /** The stored token, or null if it is invalid. */
  verify(secret: string, options?: Stoppable): Promise<AccessToken | null>
  /** The same for a token whose bearer has shown its secret before. */
  find(id: string, options?: Stoppable): Promise<AccessToken | null>
  /** Records when tokens were last used. */
  used(times: ReadonlyMap<string, Date>): Promise<void>
  /** Ends one sign-in of a token, by the hash of its cookie, on every server of this store. */
  signOut(id: string, cookie: string): Promise<void>
  isSignedOut(id: string, cookie: string): Promise<boolean>
}

const newTokenSchema = z.strictObject({
  name: userNameSchema,
  scope: accessTokenSchema.shape.scope,
  identifiers: identifiersSchema.default({}),
  quota: quotaSchema.default({}),
})

/** `nks_ID_SECRET`: the id finds the document, so that only one hash is compared. */
const TOKEN = /^nks_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/

/**
 * When a token was last used is a separate document. Servers write it and only operators write the token, so a server
 * that records a use can never undo a revocation.
 */
const usageKey = (id: string) => `${id}/used`
/** The same goes for each sign-in that was ended. */
const signedOutKey = (id: string, cookie: string) => `${id}/out/${cookie.slice(0, 32)}`

export function tokenOperations(core: Core, caller: Caller): Tokens {
  const { storage, attempt } = core
  const { by } = caller
  const read = (keys?: readonly string[]) => attempt(() => storage.documents('token', keys))
  const put = (documents: readonly AccessToken[]) =>
    commitAll(core, {
      by,
      writes: documents.map((document) => ({ kind: 'put' as const, collection: 'token' as const, document })),
    })
  const list = async (): Promise<AccessToken[]> => {
    const documents = await read()
    const uses = new Map(documents.map(({ id, lastUsedAt }) => [id, lastUsedAt]))
    return documents
      .filter(({ id }) => !id.includes('/'))
      .map((token) => ({ ...token, lastUsedAt: uses.get(usageKey(token.id)) ?? null }))
      .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  }
  const find = async (id: string) => {
    const [token] = await read([id])
    return token && token.revokedAt === null ? token : null
  }

  return {
    async create(input) {
      requireOperator(core, caller, 'makes tokens')
      const { name, scope, identifiers, quota } = parseInput(newTokenSchema, input, 'tokens.create')
      if (scope === 'admin' && Object.keys(identifiers).length > 0) {
        throw invalidInput('scope', 'Invalid scope: an admin’s token opens the whole store. Use read or write.')
      }
      const active = (await list()).filter(({ revokedAt }) => revokedAt === null)
      if (active.some((token) => token.name === name)) {
        throw new MemoryError('CONFLICT', `A token named ${name} already exists.`, { details: { field: 'name' } })
      }
      const id = randomBytes(8).toString('hex')
      const secret = `nks_${id}_${randomBytes(32).toString('base64url')}`
      const times = { createdAt: core.now().toISOString(), lastUsedAt: null, revokedAt: null }
      const limited = Object.keys(quota).length > 0 ? { quota } : {}
      const token: AccessToken = { id, name, hash: digest(secret), scope, identifiers, ...limited, ...times }
      await put([token])
      return { token: withoutHash(token), secret }
    },
    async list() {
      requireOperator(core, caller, 'lists tokens')
      return (await list()).map(withoutHash)
    },
    async revoke(given) {
      requireOperator(core, caller, 'revokes tokens')
      const { id } = parseInput(z.strictObject({ id: idSchema }), { id: given }, 'tokens.revoke')
      const tokens = await list()
      const token =
        tokens.find((each) => each.id === id) ??
        tokens.find(({ name, revokedAt }) => name === id && revokedAt === null) ??
        tokens.find(({ name }) => name === id)
      if (!token) throw new MemoryError('MEMORY_NOT_FOUND', `There is no token ${id}.`, { details: { token: id } })
      if (token.revokedAt !== null) return withoutHash(token)
      const revoked = { ...token, revokedAt: core.now().toISOString() }
      await put([revoked])
      return withoutHash(revoked)
    },
    async verify(secret) {
      const parent = parentOf(secret)
      if (parent !== null) {
        const token = await find(parent)
        return token && openRunToken(secret, token, core.now().getTime())
      }
      const id = TOKEN.exec(secret)?.[1]
      if (id === undefined) return null
      const token = await find(id)
      return token && sameDigest(digest(secret), token.hash) ? token : null
    },
    find,
    async used(times) {
      const tokens = await read([...times.keys()])
      const documents = tokens.map((token) => ({
        ...token,
        id: usageKey(token.id),
        lastUsedAt: times.get(token.id)!.toISOString(),
      }))
      for (const document of documents) await put([document])
    },
    async signOut(id, cookie) {
      const at = core.now().toISOString()
      const times = { createdAt: at, lastUsedAt: null, revokedAt: at }
      // It opens nothing: its hash is that of no token.
      await put([
        { id: signedOutKey(id, cookie), name: id, hash: '0'.repeat(64), scope: 'read', identifiers: {}, ...times },
      ])
    },
    isSignedOut: async (id, cookie) => (await read([signedOutKey(id, cookie)])).length > 0,
  }
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Constant time: its duration reveals nothing about the digests. */
function sameDigest(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'))
}

function withoutHash({ hash: _, ...token }: AccessToken): TokenInfo {
  return token
}
