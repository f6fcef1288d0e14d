import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { identifiersSchema } from '../model/fields.ts'
import type { IdentifierName, Identifiers } from '../model/layer.ts'
import type { AccessToken } from '../model/records.ts'
import { mayName } from './within.ts'

/** Lifetime of a run's token in milliseconds: a day. */
const GOOD_FOR_MS = 86_400_000
/** `nkr_ID.CLAIMS.SIGNATURE`: derived from the token with this id, signed with its hash. */
const RUN_TOKEN = /^nkr_([0-9a-f]{16})\.([A-Za-z0-9_-]{1,2048})\.([A-Za-z0-9_-]{43})$/
const TOKEN_ID = /^nks_([0-9a-f]{16})_/
const claimsSchema = z.strictObject({ until: z.number(), identifiers: identifiersSchema })

/** This process's token: its own, or inside a run the run's. */
export function tokenFrom(env: NodeJS.ProcessEnv): string | undefined {
  return env.NOKOSU_TOKEN?.trim() || env.NOKOSU_RUN_TOKEN?.trim() || undefined
}

/**
 * Derives a weaker token for programs inside a run, without asking the server: limited to the run's scope, valid for a day, never
 * an admin's, and revoked together with its parent. Null: this is not a token, or the run has no scope.
 */
export function runToken(secret: string, identifiers: Identifiers, now = Date.now()): string | null {
  if (RUN_TOKEN.test(secret)) return secret
  const id = TOKEN_ID.exec(secret)?.[1]
  if (id === undefined || Object.keys(identifiers).length === 0) return null
  const claims = Buffer.from(JSON.stringify({ until: now + GOOD_FOR_MS, identifiers })).toString('base64url')
  return `nkr_${id}.${claims}.${sign(hashOf(secret), `${id}.${claims}`)}`
}

/** The id of a run token's parent; null if this is not a run's token. */
export function parentOf(token: string): string | null {
  return RUN_TOKEN.exec(token)?.[1] ?? null
}

/** What a run's token opens; null if it is forged, expired, or outside its parent's scope. */
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
  // A token of an agent alone opens no project, and neither does one derived from it.
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
