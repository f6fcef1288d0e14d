import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { stopSignal } from '../interruption.ts'
import { type GlobalOptions, openEngine, readConfig } from '../open-engine.ts'
import { paint, printJson, printLine, writeJsonError } from '../output.ts'
import { packageRoot } from '../package-info.ts'
import { parseWhole } from '../parse-flags.ts'

interface Options extends GlobalOptions {
  host: string
  port?: number
}

/** `nokosu serve` */
export function configure(command: Command): void {
  command
    .option('--port <number>', 'the port; 0 for any (default: 4816, or the next free one)', parseWhole)
    .option('--host <address>', 'the address; it must be one of this machine only', '127.0.0.1')
    .addHelpText(
      'after',
      `
/ is a page that shows what is stored. /healthz, /readyz and /metrics (Prometheus) are for programs.

Examples:
  nokosu serve
  nokosu serve --port 8080`,
    )
    .action(start)
}

async function start(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const signal = stopSignal({ expected: true })
  const config = await readConfig(options)
  const [{ serve }, { registerMetrics }, { createLogger }] = await Promise.all([
    import('../../http/serve.ts'),
    import('../../http/metrics-registry.ts'),
    import('../../observe/log.ts'),
  ])
  const metrics = registerMetrics()
  const engine = await openEngine(config, 'write')
  try {
    const store = config.db.replace(/^sqlite:/, '')
    const nokosu = commandLine(options)
    const { host, port = null } = options
    const server = await serve({
      memory: engine,
      metrics,
      log: createLogger(config.log, writeJsonError),
      store,
      command: nokosu,
      project: config.project ?? null,
      host,
      port,
    })
    try {
      if (options.json) await printJson({ url: server.url, port: server.port, pid: process.pid })
      else await greet(server.url, store, nokosu)
      if (!signal.aborted) await once(signal, 'abort')
    } finally {
      await server.close()
    }
  } finally {
    await engine.shutdown()
    await metrics.close()
  }
}

async function greet(url: string, store: string, nokosu: string): Promise<void> {
  await printLine(`${paint('green', 'Nokosu')} is at ${paint('bold', url)}   (Ctrl-C stops it)`)
  await printLine(paint('dim', `Memories are kept in ${store}`))
  await printLine('\nTry, in another terminal:')
  await printLine(`  ${nokosu} add --project demo "The staging database is reset every night"`)
  await printLine(`  ${nokosu} search --project demo "when does staging lose its data"`)
  await printLine(`  ${nokosu} doctor`)
}

/** The command that reaches the same store from another terminal. In a checkout it is not on the path. */
function commandLine({ db }: Options): string {
  const name = existsSync(join(packageRoot(), 'src')) ? 'npx nokosu' : 'nokosu'
  return db === undefined ? name : `${name} --db ${/^[\w:./~-]+$/.test(db) ? db : JSON.stringify(db)}`
}
