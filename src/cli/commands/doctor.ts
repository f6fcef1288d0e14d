import type { Config } from '../../config/load-config.ts'
import { MemoryError } from '../../model/errors.ts'
import { packageVersion } from '../../package/package-version.ts'
import { isServer } from '../../storage/store-address.ts'
import { findForeign } from '../adopt-store.ts'
import { type Check, fail, ok } from '../check.ts'
import { checkEmbedding, checkGuard, checkRelation, checkRuntime } from '../check-models.ts'
import { checkServer } from '../check-server.ts'
import { checkSpool } from '../check-spool.ts'
import { checkDisk, checkStore, checkStoreFile } from '../check-store.ts'
import { defineCommand } from '../command.ts'
import { type GlobalOptions, openEngine, readConfig } from '../open-engine.ts'
import { countOf, fitTo, paint, printJson, printLine, type Style } from '../output.ts'
import { shell } from '../shell.ts'

export const { configure } = defineCommand({
  help: `
Checks Node, the configuration, the project, the store (whether it opens, its schema, and for SQLite its pages with PRAGMA quick_check), the
vectors, the embedding model, the model runtime, the relation model (which tells whether two memories say the same), the guard's
model (which recognises notes that would mislead a later agent), the disk, and pending writes with their age.
For a store by URL it checks whether the server answers, its version, what the token opens, and that vectors are made there.
It changes nothing. The exit code is 1 when something fails.

Examples:
  nokosu doctor
  NOKOSU_TOKEN=nks_... nokosu doctor --db https://memory.example.com
  nokosu doctor --json | jq '.checks[] | select(.status != "ok")'`,
  async run(options) {
    const checks = await examine(options)
    const healthy = checks.every((check) => check.status !== 'fail')
    if (!healthy) shell().exitCode = 1
    if (options.json) return printJson({ ok: healthy, checks })
    for (const check of checks) await printLine(formatCheck(check))
    const warnings = checks.filter(({ status }) => status === 'warn').length
    const remark = warnings === 0 ? '' : `, with ${countOf(warnings, 'warning', 'warnings')}`
    await printLine(healthy ? `\nNokosu is ready${remark}.` : '\nNokosu found a problem.')
  },
})

async function examine(options: GlobalOptions): Promise<Check[]> {
  const checks = [
    ok('nokosu', packageVersion()),
    ok('node', `${process.version}, SQLite ${process.versions.sqlite ?? '?'}, ${process.platform} ${process.arch}`),
  ]
  let config: Config
  try {
    config = await readConfig(options)
  } catch (error) {
    return [...checks, failed('config', error, 'Correct the setting.')]
  }
  checks.push(ok('config', config.file ?? 'no file: defaults, environment and flags'))
  checks.push(ok('project', config.project ?? 'none here: name it with --project or NOKOSU_PROJECT'))
  checks.push(...(await checkStoreFile(config)), ...(await checkSpool(config)))
  const server = await checkServer(config)
  checks.push(...server)
  // An unreachable store has nothing more to report.
  if (!server.some(({ status }) => status === 'fail')) checks.push(...(await checkEngine(config)))
  // Its models run on the server.
  if (server.length > 0) return checks
  return [...checks, await checkRuntime(), await checkRelation(), await checkGuard(), ...(await checkDisk(config))]
}

async function checkEngine(config: Config): Promise<Check[]> {
  try {
    const foreign = await findForeign(config)
    if (foreign !== null) return [fail('store', foreign.what, `Adopt them into a project: ${foreign.hint}`)]
    const engine = await openEngine(config, 'read')
    try {
      const checks = await checkStore(engine)
      return isServer(config.db) ? checks : [...checks, await checkEmbedding(config, engine.embedding)]
    } finally {
      await engine.shutdown()
    }
  } catch (error) {
    return [failed('store', error, 'Choose another store with --db or NOKOSU_DB, or restore a backup.')]
  }
}

/** A known problem becomes a line of the report. A bug in Nokosu still fails the command. */
function failed(name: string, error: unknown, fix: string): Check {
  if (!MemoryError.is(error)) throw error
  return fail(name, error.message, fix)
}

const MARKS: Record<Check['status'], [Style, string]> = {
  ok: ['green', 'ok  '],
  warn: ['yellow', 'warn'],
  fail: ['red', 'FAIL'],
}

function formatCheck({ name, status, message, fix }: Check): string {
  const [style, mark] = MARKS[status]
  const indent = ' '.repeat(15)
  const line = `${paint(style, mark)}  ${name.padEnd(8)} ${fitTo(shell().stdout, message, indent)}`
  return fix === null ? line : `${line}\n${indent}${paint('dim', fitTo(shell().stdout, fix, indent))}`
}
