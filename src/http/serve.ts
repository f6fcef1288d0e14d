import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { isLoopback } from './loopback.ts'
import { createServer, type ServerOptions } from './server.ts'

const DEFAULT_PORT = 4816
/** How many ports are tried when the default is taken. */
const TRIES = 20
/** Milliseconds that running requests get when the server stops. */
const GRACE_MS = 2000

export interface ServeOptions extends Omit<ServerOptions, 'requireToken'> {
  memory: Nokosu
  /** null: the default, or the next free one. */
  port: number | null
  /** Asks for a token on this machine too, as a server behind a proxy has to. */
  requireToken?: boolean
}

export interface RunningServer {
  url: string
  port: number
  close(): Promise<void>
}

/** Starts the server. The caller opened the engine, and closes it after the server. */
export async function serve({ memory, port, requireToken = false, ...options }: ServeOptions): Promise<RunningServer> {
  const { host } = options
  const needsToken = requireToken || !isLoopback(host)
  if (needsToken) await requireSomeToken(memory, host, options.command)
  const { app, close } = createServer(memory, { ...options, requireToken: needsToken })
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  const bound = await listen(server, host, port)
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const impatient = setTimeout(() => server.closeAllConnections(), GRACE_MS)
      await closed
      clearTimeout(impatient)
      await close()
    },
  }
}

/** Without a token nobody could use the server, and with none needed the network could. */
async function requireSomeToken(memory: Nokosu, host: string, command: string): Promise<void> {
  const tokens = await memory.tokens.list()
  if (tokens.some(({ revokedAt }) => revokedAt === null)) return
  throw new MemoryError(
    'CONFIGURATION_ERROR',
    `Cannot serve on ${host} without a token: the network would read and change the memories. Create one: ${command} token create --scope admin --name ops`,
    { details: { key: 'host', host } },
  )
}

async function listen(server: Server, host: string, port: number | null): Promise<number> {
  const first = port ?? DEFAULT_PORT
  for (let candidate = first; ; candidate++) {
    try {
      server.listen(candidate, host)
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
  return new MemoryError('CONFIGURATION_ERROR', reasons[code] ?? `Cannot listen on ${host}:${port} (${code}).`, {
    details: { key: 'port', port, host },
  })
}
