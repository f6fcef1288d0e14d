import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Config } from '../../config/load-config.ts'
import { embedAhead } from '../../engine/embed-ahead.ts'
import { parseTimeOfDay, sweepDaily, type TimeOfDay } from '../../engine/sweep-daily.ts'
import { wrongSetting } from '../../model/errors.ts'
import { findPackageRoot } from '../../package/package-root.ts'
import { deliverOften } from '../../remote/deliver-often.ts'
import { listSpool } from '../../remote/list-spool.ts'
import { shownUrl } from '../../storage/shown-url.ts'
import { isServer } from '../../storage/store-address.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { quote } from '../command-line.ts'
import { stopSignal } from '../interruption.ts'
import { openBrowser } from '../open-browser.ts'
import { openEngine, readConfig, spoolFoldersOf } from '../open-engine.ts'
import { operatorKey } from '../operator-key.ts'
import { paint, printJson, printLine, writeJsonError } from '../output.ts'
import { collect, invalid, text, whole } from '../parse-flags.ts'
import { shell } from '../shell.ts'

/** Milliseconds for interrupted requests to finish. */
const END_MS = 2000

export const { configure } = defineCommand({
  options: {
    '--port <number>': ['the port; 0 for any (default: 4816, or the next free one)', whole(0, 65_535)],
    '--host <address>': ['the address to listen on; any but loopback needs a token', text, '127.0.0.1'],
    '--allow-host <name>': ['a host name that requests may use; may be repeated', collect],
    '--require-token': 'require a token on this machine too, as behind a proxy',
    '--sso-header <name>': ['the header in which a proxy names the person who signed in', text],
    '--sso-from <address>': ['an address of that proxy, or a range such as 10.0.0.0/8; may be repeated', collect],
    '--sso-operator <name>': ['a person who may do everything; may be repeated', collect],
    '--sso-reader <name>': ['a person who may read everything; * for whoever the proxy lets in', collect],
    '--sweep-at <time>': [
      'sweep the store daily at this time (UTC), such as 03:00; one server of a store does it',
      timeOfDay,
    ],
    '--no-open': 'do not open the browser',
    '--rate-limit <number>': ['requests a second for each token; 0: no limit (default: 200)', whole(0)],
  },
  help: `
The dashboard is at /, the API at /api and its description at /docs and /openapi.json, MCP at /mcp.
/healthz, /readyz and /metrics (Prometheus) are for programs; OTEL_EXPORTER_OTLP_ENDPOINT sends metrics and traces.

On 127.0.0.1 programs read and add without a token. What only you may do (the dashboard, review, tokens, deleting, personalities) needs
the link that is printed at the start, or as a token the key in the file beside the store, which only you can read.
Another address needs a token: nokosu token create --name ops --scope admin

Examples:
  nokosu serve
  nokosu serve --port 8080
  nokosu serve --host 0.0.0.0 --allow-host memory.example.com`,
  async run(options) {
    const signal = stopSignal({ expected: true })
    const config = await readConfig(options)
    if (isServer(config.db)) {
      throw wrongSetting('db', `${config.db} is already a server; serve needs a store of its own.`)
    }
    const [{ serve }, { startTelemetry }, { createLogger }] = await Promise.all([
      import('../../http/serve.ts'),
      import('../../observe/telemetry.ts'),
      import('../../observe/log.ts'),
    ])
    const metrics = await startTelemetry(shell().env)
    const engine = await openEngine(config, 'write')
    const log = createLogger(config.log, writeJsonError)
    const ahead = embedAhead(engine, log)
    const sweeping = options.sweepAt === undefined ? null : sweepDaily(engine, options.sweepAt, log)
    try {
      const store = shownUrl(config.db).replace(/^sqlite:/, '')
      const command = ownCommand(options.db)
      const { host, port = null, allowHost: names = [], requireToken = false, rateLimit } = options
      let spools: readonly string[] = []
      const operator = operatorKey(config)
      const server = await serve({
        ...{ memory: engine, metrics, log, store, command, host, port, names, requireToken },
        project: config.project ?? null,
        heldBack: async () => ({ providers: engine.backoffs(), spool: await listSpool(spools) }),
        ...withoutUndefined({
          operatorKeyFile: operator.file ?? undefined,
          rate: rateOf(rateLimit),
          sso: ssoOf(options),
        }),
        operatorKey: operator.key,
      })
      spools = spoolsOf(config, server.url)
      const delivery = deliverOften(engine, spools, {
        onFailure: (failure) => log.warn({ failure }, 'cannot store the spooled writes of a run'),
      })
      const { mintLink, url, port: bound } = server
      const isSeen = !options.json && shell().stdout.isTTY === true && options.open !== false
      const closePage = mintLink !== null && isSeen ? openBrowser(mintLink()) : null
      try {
        const operatorKeyFile = mintLink === null ? null : operator.file
        if (options.json) await printJson({ url, port: bound, pid: process.pid, operatorKeyFile })
        else await greet(url, mintLink?.() ?? null, store, command)
        if (!signal.aborted) await once(signal, 'abort')
      } finally {
        closePage?.()
        await server.close()
        await delivery.stop()
      }
    } finally {
      // The last measurement still reads the store's size.
      await metrics.close()
      await Promise.all([ahead.stop(), sweeping?.stop()])
      await Promise.race([engine.shutdown(), setTimeout(END_MS, undefined, { ref: false })])
    }
    // A large interrupted request may compute for minutes, but nothing of it was acknowledged.
    await (await import('../run-settings.ts')).endWith(0)
  },
})

function timeOfDay(text: string): TimeOfDay {
  const time = parseTimeOfDay(text)
  if (time === null) throw invalid('--sweep-at', `'${text}' is not a time of day in UTC, such as 03:00`)
  return time
}

interface SsoFlags {
  ssoHeader?: string
  ssoFrom?: string[]
  ssoOperator?: string[]
  ssoReader?: string[]
}

function ssoOf({ ssoHeader: header, ssoFrom: from, ssoOperator: operators, ssoReader: readers }: SsoFlags) {
  if (header !== undefined) return { header, from: from ?? [], operators: operators ?? [], readers: readers ?? [] }
  if (from ?? operators ?? readers) {
    throw wrongSetting('ssoHeader', 'Give the name of the proxy’s header too: --sso-header x-forwarded-user.')
  }
  return undefined
}

/** Null: no limit; undefined: the server's default. */
function rateOf(perSecond: number | undefined) {
  if (perSecond === undefined) return undefined
  return perSecond === 0 ? null : { perSecond, burst: perSecond * 10 }
}

/** Where runs on this machine spool records: for the file's name, and for this server's name. */
function spoolsOf(config: Config, url: string): string[] {
  return [...new Set([...spoolFoldersOf(config), ...spoolFoldersOf({ db: url })])]
}

async function greet(url: string, link: string | null, store: string, nokosu: string): Promise<void> {
  await printLine(`${paint('green', 'Nokosu')} is at ${paint('bold', url)}   (Ctrl-C stops it)`)
  await printLine(paint('dim', `Memories are kept in ${store}`))
  if (link !== null) await printLine(`\nSign in with this link; it works once:\n  ${paint('bold', link)}`)
  await printLine('\nIn the browser an empty store offers the data of the demo. Or try, in another terminal:')
  await printLine(`  ${nokosu} add --project demo "The staging database is reset every night"`)
  await printLine(`  ${nokosu} search --project demo "when does staging lose its data"`)
  await printLine(`  ${nokosu} doctor`)
}

/** The command that reaches the same store from another terminal. A checkout is not on the PATH. */
function ownCommand(db: string | undefined): string {
  const name = existsSync(join(findPackageRoot()!, 'src')) ? 'npx nokosu' : 'nokosu'
  return db === undefined ? name : `${name} --db ${quote(shownUrl(db))}`
}
