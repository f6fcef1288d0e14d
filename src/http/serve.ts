import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { MemoryError } from '../model/errors.ts'
import { type AppOptions, createApp } from './app.ts'
import { isLoopback } from './loopback.ts'

const DEFAULT_PORT = 4816
/** How many ports are tried when the default is taken. */
const TRIES = 20
/** Milliseconds that running requests get when the server stops. */
const GRACE_MS = 2000

export interface ServeOptions extends AppOptions {
  host: string
  /** null: the default, or the next free one. */
  port: number | null
}

export interface RunningServer {
  url: string
  port: number
  close(): Promise<void>
}

/** Starts the server. The caller opened the engine, and closes it after the server. */
export async function serve({ host, port, ...options }: ServeOptions): Promise<RunningServer> {
  if (!isLoopback(host)) {
    throw new MemoryError(
      'UNSUPPORTED',
      `Cannot serve on ${host}: it would open the memories to the network, and there are no access tokens yet. Use 127.0.0.1 with a tunnel, or a proxy that checks who signs in.`,
      { details: { host } },
    )
  }
  const server = createAdaptorServer({ fetch: createApp(options).fetch }) as Server
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
    },
  }
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
