import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../config/load-config.ts'
import { deliverOften } from '../../remote/deliver-often.ts'
import { listSpool } from '../../remote/list-spool.ts'
import { openStorage } from '../../storage/open-storage.ts'
import { shownUrl } from '../../storage/shown-url.ts'
import { stopSignal } from '../interruption.ts'
import { type GlobalOptions, openEngine, readConfig, spoolFoldersOf } from '../open-engine.ts'
import { paint, printJson, printLine, writeJsonError } from '../output.ts'
import { packageRoot } from '../package-info.ts'
import { pageSecret } from '../page-secret.ts'
import { collect, parseWhole } from '../parse-flags.ts'
import { shell } from '../shell.ts'

interface Options extends GlobalOptions {
  host: string
  port?: number
  allowHost?: string[]
  requireToken?: boolean
  rateLimit?: number
}

/** `nokosu serve` */
export function configure(command: Command): void {
  command
    .option('--port <number>', 'the port; 0 for any (default: 4816, or the next free one)', parseWhole)
    .option('--host <address>', 'the address; one that other machines reach needs a token', '127.0.0.1')
    .option('--allow-host <name>', 'a name by which it may be called; may be repeated', collect)
    .option('--require-token', 'ask for a token on this machine too, as behind a proxy')
    .option('--rate-limit <number>', 'requests a second for each token; 0: no limit (default: 200)', parseWhole)
    .addHelpText(
      'after',
      `
The pages are at /, the API at /api and its description at /docs and /openapi.json, MCP at /mcp.
/healthz, /readyz and /metrics (Prometheus) are for programs; OTEL_EXPORTER_OTLP_ENDPOINT sends metrics and traces.

On 127.0.0.1 nobody needs a token. Another address needs one: nokosu token create --name ops --scope admin

Examples:
  nokosu serve
  nokosu serve --port 8080
  nokosu serve --host 0.0.0.0 --allow-host memory.example.com`,
    )
    .action(start)
}

async function start(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const signal = stopSignal({ expected: true })
  const config = await readConfig(options)
  const [{ serve }, { startTelemetry }, { storageHost }, { createLogger }] = await Promise.all([
    import('../../http/serve.ts'),
    import('../../observe/telemetry.ts'),
    import('../../http/storage/storage-host.ts'),
    import('../../observe/log.ts'),
  ])
  const metrics = await startTelemetry(shell().env)
  const engine = await openEngine(config, 'write')
  const log = createLogger(config.log, writeJsonError)
  // A store in memory is this engine's alone.
  const shared = /^(memory:|sqlite::memory:)/.test(config.db) ? null : storageHost(() => openStorage(config.db))
  try {
    const store = shownUrl(config.db).replace(/^sqlite:/, '')
    const nokosu = commandLine(options)
    const { host, port = null, allowHost: names = [], requireToken = false, rateLimit } = options
    let spools: readonly string[] = []
    const secret = pageSecret((reason) => log.warn({ reason }, 'open pages have to be loaded again after a restart'))
    const server = await serve({
      memory: engine,
      heldBack: async () => ({ providers: engine.backoffs(), spool: await listSpool(spools) }),
      ...(shared === null ? {} : { storageHost: shared }),
      metrics,
      log,
      store,
      command: nokosu,
      project: config.project ?? null,
      host,
      port,
      names,
      requireToken,
      ...(secret === null ? {} : { pageSecret: secret }),
      ...(rateLimit === undefined
        ? {}
        : { rate: rateLimit === 0 ? null : { perSecond: rateLimit, burst: rateLimit * 10 } }),
    })
    spools = await spoolsOf(config, server.url)
    const delivery = deliverOften(engine, spools, {
      onFailure: (failure) => log.warn({ failure }, 'what a run left in the spool could not be stored'),
    })
    try {
      if (options.json) await printJson({ url: server.url, port: server.port, pid: process.pid })
      else await greet(server.url, store, nokosu)
      if (!signal.aborted) await once(signal, 'abort')
    } finally {
      await server.close()
      await delivery.stop()
    }
  } finally {
    await shared?.close()
    // The last measurement still asks the store for its size.
    await metrics.close()
    await engine.shutdown()
  }
}

/** Where runs of this machine leave what the store could not take: those that name its file, and those that name this server. */
async function spoolsOf(config: Config, url: string): Promise<string[]> {
  return [...new Set([...(await spoolFoldersOf(config)), ...(await spoolFoldersOf({ db: url }))])]
}

async function greet(url: string, store: string, nokosu: string): Promise<void> {
  await printLine(`${paint('green', 'Nokosu')} is at ${paint('bold', url)}   (Ctrl-C stops it)`)
  await printLine(paint('dim', `Memories are kept in ${store}`))
  await printLine('\nOpen it in a browser: an empty store offers the data of the demo. Or try, in another terminal:')
  await printLine(`  ${nokosu} add --project demo "The staging database is reset every night"`)
  await printLine(`  ${nokosu} search --project demo "when does staging lose its data"`)
  await printLine(`  ${nokosu} doctor`)
}

/** The command that reaches the same store from another terminal. In a checkout it is not on the path. */
function commandLine({ db }: Options): string {
  const name = existsSync(join(packageRoot(), 'src')) ? 'npx nokosu' : 'nokosu'
  if (db === undefined) return name
  const shown = shownUrl(db)
  return `${name} --db ${/^[\w:./~-]+$/.test(shown) ? shown : JSON.stringify(shown)}`
}
