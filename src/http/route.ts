import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Nokosu } from '../engine/nokosu.ts'
import type { Logger } from '../observe/log.ts'
import type { Telemetry } from '../observe/telemetry.ts'
import type { Access, TokenScope } from './access.ts'
import type { HeldBack } from './dashboard/held-back.ts'

export type Need = 'open' | TokenScope

export type Env = {
  /** The connection; absent in tests that call the routes without a port. */
  Bindings: { incoming?: Pick<IncomingMessage, 'headersDistinct' | 'socket'> }
  Variables: {
    access: Access
    route: Route
    /** Whether the sender would still be admitted: checked by long-lived responses. */
    isStillIn: () => Promise<boolean>
  }
}
export type RequestContext = Context<Env>

/**
 * One route of the server. Everything that the server answers is one of these, so each declares its requirements before anybody
 * can reach it, and a test checks all of them.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** In Hono's syntax, such as `/api/memories/:id`. */
  path: string
  needs: Need
  /** It applies to the whole store: a bound token does not open it. */
  unbound?: true
  /** A page: even on a server without tokens it requires a sign-in. */
  signedIn?: true
  summary: string
  /** Its part of the API description; a page has none. */
  api?: ApiDescription
  /** Maximum bytes of its body. Default: 1 MiB. */
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
  /** The engine itself, for requests without a caller: health, statistics. Memories are read through `context.get('access')`. */
  memory: Nokosu
  metrics: Telemetry
  log: Logger
  /** The store's path or URL, for display. */
  store: string
  /** The file of this machine's operator key; absent: there is none, or tokens determine operators. */
  operatorKeyFile?: string
  /** Aborts when the server is about to stop, which ends streams. */
  stopping: AbortSignal
  /** What this machine holds back; absent: unknown. */
  heldBack?: () => Promise<HeldBack>
  /** The project of the server's own folder, for observations added without one. */
  project: string | null
  /** The command line that reaches this store, such as `nokosu --db PATH`. */
  command: string
}
