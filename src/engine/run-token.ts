import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { identifiersSchema } from '../model/fields.ts'
import type { IdentifierName, Identifiers } from '../model/layer.ts'
import type { AccessToken } from '../model/records.ts'
import { mayName } from './within.ts'

/** Milliseconds that the token of a run is good for: a day. */
const GOOD_FOR_MS = 86_400_000
/** `nkr_ID.CLAIMS.SIGNATURE`: of the token with this id, signed with its hash. */
const RUN_TOKEN = /^nkr_([0-9a-f]{16})\.([A-Za-z0-9_-]{1,2048})\.([A-Za-z0-9_-]{43})$/
const TOKEN_ID = /^nks_([0-9a-f]{16})_/
const claimsSchema = z.strictObject({ until: z.number(), identifiers: identifiersSchema })

/** The token of this process: its own, or inside a run that of the run. */
export function tokenFrom(env: NodeJS.ProcessEnv): string | undefined {
  return env.NOKOSU_TOKEN?.trim() || env.NOKOSU_RUN_TOKEN?.trim() || undefined
}

/**
 * A weaker token for what runs inside a run, made here without asking the server: bound to what the run is bound to, good for a day, never
 * an admin's, and revoked with the token that it is made from. Null: this is not a token, or the run has no bound.
 */
export function runToken(secret: string, identifiers: Identifiers, now = Date.now()): string | null {
  if (RUN_TOKEN.test(secret)) return secret
  const id = TOKEN_ID.exec(secret)?.[1]
  if (id === undefined || Object.keys(identifiers).length === 0) return null
  const claims = Buffer.from(JSON.stringify({ until: now + GOOD_FOR_MS, identifiers })).toString('base64url')
  return `nkr_${id}.${claims}.${sign(hashOf(secret), `${id}.${claims}`)}`
}

/** The id of the token that a run's token is made from; null when this is not the token of a run. */
export function parentOf(token: string): string | null {
  return RUN_TOKEN.exec(token)?.[1] ?? null
}

/** What a run's token opens; null when it is forged, late, or outside of what its parent is bound to. */
export function openRunToken(token: string, parent: AccessToken, now: number): AccessToken | null {
  const [, id = '', claims = '', signature = ''] = RUN_TOKEN.exec(token) ?? []
  const [given, wanted] = [signature, sign(parent.hash, `${id}.${claims}`)].map((text) => Buffer.from(text))
  if (given!.length !== wanted!.length || !timingSafeEqual(given!, wanted!)) return null
  const parsed = claimsSchema.safeParse(JSON.parse(Buffer.from(claims, 'base64url').toString()))
  if (!parsed.success || parsed.data.until <= now || Object.keys(parsed.data.identifiers).length === 0) return null
  const { identifiers: bound } = parent
  const isBound = Object.keys(bound).length > 0
  const asked = Object.entries(parsed.data.identifiers) as [IdentifierName, string][]
  if (asked.some(([name, value]) => bound[name] !== undefined && bound[name] !== value)) return null
  // A token of an agent alone opens no project, so neither does one that is made from it.
  const own = Object.fromEntries(asked.filter(([name]) => !isBound || mayName(bound, name)))
  const identifiers = { ...own, ...bound }
  return { ...parent, scope: parent.scope === 'admin' ? 'write' : parent.scope, identifiers }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

function sign(key: string, text: string): string {
  return createHmac('sha256', key).update(`run ${text}`).digest('base64url')
}
