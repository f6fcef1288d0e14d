import { onTestFinished } from 'vitest'
import type { Nokosu } from '../../src/engine/nokosu.ts'
import { type RunningServer, type ServeOptions, serve } from '../../src/http/serve.ts'
import { createLogger } from '../../src/observe/log.ts'

/** A server for this engine on a free port, stopped after the test. */
export async function serveForTest(
  memory: Nokosu,
  { requireToken = false, ...rest }: Partial<Omit<ServeOptions, 'memory'>> = {},
): Promise<RunningServer> {
  const metrics = { collect: async () => '', close: async () => {} }
  const log = createLogger('silent')
  const about = { metrics, log, store: 'test', command: 'nokosu', host: '127.0.0.1', project: 'served' }
  const server = await serve({ memory, ...about, port: 0, requireToken, ...rest })
  onTestFinished(() => server.close())
  return server
}
