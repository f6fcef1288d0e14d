import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createAdaptorServer } from '@hono/node-server'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError, wrongSetting } from '../model/errors.ts'
import { closeInOrder } from './connections.ts'
import { isLoopback } from './loopback.ts'
import { createServer, type ServerOptions } from './server.ts'

const DEFAULT_PORT = 4816
/** How many ports are tried if the default is taken. */
const TRIES = 20
/** Connections waiting to be accepted, as far as the system allows: more at once are reset. */
const BACKLOG = 16_384
/** Milliseconds for running requests when the server stops. */
const GRACE_MS = 10_000
/** Milliseconds for a whole request, and its headers, to arrive: limits how long a slow client holds a connection. */
const REQUEST_MS = 30_000
const HEADERS_MS = 10_000
/** Milliseconds before an idle connection is closed: longer than load balancers keep theirs (60 s), or they send into closed ones. */
const IDLE_MS = 75_000

export interface ServeOptions extends Omit<ServerOptions, 'requireToken'> {
  memory: Nokosu
  /** null: the default port, or the next free one. */
  port: number | null
  /** Requires a token on this machine too, as a server behind a proxy must. Implied by `sso`. */
  requireToken?: boolean
}

export interface RunningServer {
  url: string
  port: number
  /** A link that signs this machine's operator in, once; null if tokens are required. */
  mintLink: (() => string) | null
  close(): Promise<void>
}

/** Starts the server. The caller opened the engine, and closes it after the server. */
export async function serve({ memory, port, requireToken = false, ...options }: ServeOptions): Promise<RunningServer> {
  const { host } = options
  const { sso } = options
  const needsToken = requireToken || sso !== undefined || !isLoopback(host)
  if (needsToken && !sso?.operators.length) await requireSomeToken(memory, host, options.command)
  const { app, mintLink, stop, close } = createServer(memory, { ...options, requireToken: needsToken })
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  server.requestTimeout = REQUEST_MS
  server.headersTimeout = HEADERS_MS
  server.keepAliveTimeout = IDLE_MS
  server.on('clientError', answerBrokenRequest)
  const closeServer = closeInOrder(server)
  const bound = await listen(server, host, port)
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
  return {
    url,
    port: bound,
    mintLink: needsToken ? null : () => url + mintLink(),
    async close() {
      stop()
      await closeServer(GRACE_MS)
      await close()
    },
  }
}

/** Invalid HTTP never reaches a route, but gets the same error format. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, message] = BROKEN[error.code ?? ''] ?? ['400 Bad Request', 'This is not an HTTP request.']
  const failure = new MemoryError('INVALID_INPUT', message)
  const body = JSON.stringify({ error: failure.toJSON() })
  const headers = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, 'connection: close']
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
}

const BROKEN: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
}

/** Without any token nobody could use the server; without requiring one, the network could. */
async function requireSomeToken(memory: Nokosu, host: string, command: string): Promise<void> {
  const tokens = await memory.tokens.list()
  if (tokens.some(({ revokedAt }) => revokedAt === null)) return
  throw wrongSetting(
    'host',
    `Cannot serve on ${host} without a token: the network would read and change the memories. Create one: ${command} token create --scope admin --name ops`,
    { host },
  )
}

async function listen(server: Server, host: string, port: number | null): Promise<number> {
  const first = port ?? DEFAULT_PORT
  for (let candidate = first; ; candidate++) {
    try {
      server.listen({ port: candidate, host, backlog: BACKLOG })
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && port === null && candidate < first + TRIES) continue
      throw refusal(code ?? String(error), candidate, host)
    }
  }
}

function refusal(code: string, port: number, host: string): MemoryError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Another program uses port ${port}. Choose another with --port, or 0 for any free one.`,
    EACCES: `This user may not open port ${port}. Choose one above 1023 with --port.`,
  }
  return wrongSetting('port', reasons[code] ?? `Cannot listen on ${host}:${port} (${code}).`, { port, host })
}
