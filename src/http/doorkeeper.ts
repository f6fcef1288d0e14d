import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Nokosu } from '../engine/nokosu.ts'
import type { AccessToken } from '../model/records.ts'
import type { Logger } from '../observe/log.ts'
import type { ApiCaller } from './access.ts'
import { readForm } from './body.ts'
import { cookieOf, SIGN_IN_SECONDS } from './cookie.ts'
import { HttpError } from './errors.ts'
import { OPERATOR_ID, operatorToken } from './operator-key.ts'
import type { RequestContext } from './route.ts'
import { isOwnPage } from './security.ts'
import { addressOf, type Sso } from './sso.ts'

/** Milliseconds for which a valid token is cached: a revoked one works this much longer. */
const TRUST_MS = 1000
/** Milliseconds between two records of when tokens were used. */
const NOTE_MS = 60_000
const MOST_TRUSTED = 10_000
/** Maximum unused sign-in links. */
const MOST_LINKS = 20

export interface Doorkeeper {
  /** The sender of a request; null if it is unknown and the server requires a token. An invalid token is an error. */
  identify(context: RequestContext): Promise<ApiCaller | null>
  /** The address that the audit log names. */
  addressOf(context: RequestContext): string
  /** The cookie's value for this token, or for the operator's key; null if it is invalid. */
  signIn(secret: string): Promise<string | null>
  /** A code that signs this machine's operator in, once. */
  mintCode(): string
  /** The cookie's value for such a code; null if it is unknown or was used. */
  redeem(code: string): string | null
  /** Ends this sign-in, including copies of the cookie: after a restart too, and on other servers of the store. */
  signOut(cookie: string): Promise<void>
  /** Refuses requests that other sites make a browser send. */
  requireOwnPage(context: RequestContext, caller: ApiCaller | null): Promise<void>
  close(): Promise<void>
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i

export function createDoorkeeper({
  memory,
  log,
  requireToken,
  operatorKey,
  sso,
}: {
  memory: Nokosu
  log: Logger
  requireToken: boolean
  operatorKey: string
  sso: Sso | null
}): Doorkeeper {
  const { tokens } = memory
  const trusted = new Map<string, { caller: ApiCaller; until: number }>()
  const uses = new Map<string, Date>()
  /** Hashes of unused codes. */
  const codes = new Set<string>()
  // If tokens are required, they determine who is an operator.
  const operator = requireToken ? null : operatorToken(operatorKey)
  const anonymous: ApiCaller = {
    ...{ name: 'anonymous', scope: 'write', identifiers: {}, token: null, via: 'nothing', isAnonymous: true },
    csrf: sign(operatorKey, 'csrf'),
  }
  const find = async (id: string) => (id === OPERATOR_ID ? operator : tokens.find(id))
  const verify = async (given: string) =>
    operator !== null && isEqual(given, operatorKey) ? operator : tokens.verify(given)

  const note = async (): Promise<void> => {
    if (uses.size === 0) return
    const times = new Map(uses)
    uses.clear()
    await tokens.used(times).catch((error: Error) => {
      log.warn({ error: error.message }, 'cannot record when tokens were last used')
    })
  }
  const timer = setInterval(note, NOTE_MS).unref()

  /** Looks up a credential, unless it was valid a moment ago. */
  async function known(credential: string, look: () => Promise<AccessToken | null>): Promise<ApiCaller | null> {
    const key = keyOf(credential)
    const now = Date.now()
    const hit = trusted.get(key)
    let caller = hit && hit.until > now ? hit.caller : null
    if (!caller) {
      const token = await look()
      trusted.delete(key)
      if (!token) return null
      const { name, scope, identifiers, quota } = token
      const known =
        token === operator ? ({ token: null, via: 'key' } as const) : ({ token: token.id, via: 'token' } as const)
      caller = {
        name,
        scope,
        identifiers,
        ...(quota ? { quota } : {}),
        ...known,
        isAnonymous: false,
        csrf: sign(token.hash, `csrf ${credential}`),
      }
      if (trusted.size >= MOST_TRUSTED) trusted.clear()
      trusted.set(key, { caller, until: now + TRUST_MS })
    }
    if (caller.token !== null) uses.set(caller.token, new Date(now))
    return caller
  }

  async function fromCookie(value: string): Promise<AccessToken | null> {
    const [id, expiry, signature] = value.split('.')
    if (id === undefined || signature === undefined || !(Number(expiry) > Date.now())) return null
    const token = await find(id)
    if (!token || !isEqual(signature, sign(token.hash, `cookie ${id}.${expiry}`))) return null
    return (await tokens.isSignedOut(id, keyOf(value))) ? null : token
  }

  function cookieFor(token: AccessToken): string {
    // Partly random, so that no two sign-ins have the same cookie: ending one does not end another.
    const expiry = Date.now() + SIGN_IN_SECONDS * 1000 + randomInt(100_000)
    return `${token.id}.${expiry}.${sign(token.hash, `cookie ${token.id}.${expiry}`)}`
  }

  return {
    async identify(context) {
      const header = context.req.header('authorization')
      if (header !== undefined) {
        const bearer = /^Bearer +(\S+)$/i.exec(header)?.[1]
        const caller = bearer === undefined ? null : await known(bearer, () => verify(bearer))
        if (!caller) throw unknownToken()
        return caller
      }
      const user = sso?.userOf(context)
      if (user) return { ...user, identifiers: {}, token: null, via: 'sso', isAnonymous: false, csrf: '' }
      const cookie = cookieOf(context)
      const caller = cookie === undefined ? null : await known(cookie, () => fromCookie(cookie))
      return caller ?? (requireToken ? null : anonymous)
    },
    addressOf: (context) => sso?.addressOf(context) ?? addressOf(context),
    async signIn(given) {
      const token = await verify(given)
      return token && cookieFor(token)
    },
    mintCode() {
      const code = randomBytes(32).toString('base64url')
      if (codes.size >= MOST_LINKS) codes.delete(codes.values().next().value!)
      codes.add(keyOf(code))
      return code
    },
    redeem: (code) => (codes.delete(keyOf(code)) && operator ? cookieFor(operator) : null),
    async signOut(cookie) {
      trusted.delete(keyOf(cookie))
      const token = await fromCookie(cookie)
      // Only valid credentials are cached.
      if (token !== null) await tokens.signOut(token.id, keyOf(cookie))
    },
    async requireOwnPage(context, caller) {
      const { req } = context
      if (SAFE_METHODS.has(req.method) || req.header('authorization') !== undefined) return
      const own = isOwnPage((name) => req.header(name))
      if (caller?.via === 'sso' && own !== true) {
        // The proxy signs in any request of the person's browser, so only our own pages may change anything. Programs use a token.
        throw new HttpError(403, 'Changes by sign-in at the proxy come from this server’s own pages. Send a token.')
      }
      if (caller?.via === 'sso') return
      if (own === null && cookieOf(context) === undefined) return
      if (own === false) throw new HttpError(403, 'This request came from a page of another site.')
      if (caller === null) return
      const given = req.header('x-csrf-token') ?? (await fromForm(context))
      if (given === undefined || !isEqual(given, caller.csrf)) {
        const message = 'The page is out of date: load it again. (The CSRF token is missing or wrong.)'
        throw new HttpError(403, message, { header: 'x-csrf-token' })
      }
    },
    async close() {
      clearInterval(timer)
      await note()
    },
  }
}

function keyOf(credential: string): string {
  return createHash('sha256').update(credential).digest('hex')
}

async function fromForm(context: RequestContext): Promise<string | undefined> {
  if (!FORM.test(context.req.header('content-type') ?? '')) return undefined
  const { csrf } = await readForm(context)
  return typeof csrf === 'string' ? csrf : undefined
}

function sign(key: string | Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Constant time, so that the duration does not reveal where they differ. */
function isEqual(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(left!, right!)
}

export function unknownToken(): HttpError {
  const message = 'This token is not valid: it is malformed, unknown or revoked.'
  return new HttpError(401, message, {}, { 'www-authenticate': 'Bearer error="invalid_token"' })
}
