import type { Context } from 'hono'
import type { z } from 'zod'
import type { Nokosu } from '../engine/nokosu.ts'
import type { Logger } from '../observe/log.ts'
import type { Telemetry } from '../observe/telemetry.ts'
import type { Access, TokenScope } from './access.ts'
import type { HeldBack } from './dashboard/held-back.ts'

export type Need = 'open' | TokenScope

export type Env = {
  Variables: {
    access: Access
    route: Route
    /** Whether who sent the request would still be let in: asked by what goes on for long. */
    isStillIn: () => Promise<boolean>
  }
}
export type RequestContext = Context<Env>

/**
 * One route of the server. Everything that the server answers is one of these, so each says what it needs before anybody
 * can reach it, and a test walks over all of them.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** In Hono's syntax, such as `/api/memories/:id`. */
  path: string
  needs: Need
  /** It is about the whole store: a token that is bound to a part of it does not open it. */
  unbound?: true
  /** A page: also on a server that asks for no token it is there only for who has signed in. */
  signedIn?: true
  summary: string
  /** What the API's description says about it; a page has none. */
  api?: ApiDescription
  /** Bytes that its body may have. Default: 1 MiB. */
  maxBody?: number
  handle(context: RequestContext): Response | Promise<Response>
}

export interface ApiDescription {
  /** A name for generated clients, such as `addMemory`. */
  operation: string
  tag: string
  query?: z.ZodObject
  body?: z.ZodType
  /** By status. A null schema: no content. */
  answers: Record<number, { description: string; schema: z.ZodType | null; type?: 'text/plain' }>
}

export interface ServerParts {
  /** The engine itself, for what belongs to no caller: health, statistics. Memories are read through `context.get('access')`. */
  memory: Nokosu
  metrics: Telemetry
  log: Logger
  /** The store's path or address, for people. */
  store: string
  /** Where the key of this machine's operator lies; absent: nowhere, or tokens say who is one. */
  operatorKeyFile?: string
  /** Aborts when the server is about to stop: what streams has to end. */
  stopping: AbortSignal
  /** What this machine holds back; absent: nothing is known of it. */
  heldBack?: () => Promise<HeldBack>
  /** The project that the server's own folder belongs to, for observations added without naming one. */
  project: string | null
  /** The command line that reaches this store, such as `nokosu --db PATH`. */
  command: string
}
