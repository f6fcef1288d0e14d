import type { Command } from 'commander'
import type { Session } from '../../model/records.ts'
import { addClaimOptions, type ClaimOptions, readClaim } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, printJson, write } from '../output.ts'
import { parseWhole } from '../parse-flags.ts'
import { type Column, formatTable } from '../table.ts'

interface Options extends GlobalOptions, ClaimOptions {
  limit?: number
  cursor?: string
}

/** `nokosu sessions` */
export function configure(command: Command): void {
  addClaimOptions(command)
    .option('--limit <number>', 'at most this many, up to 1000 (default: 50)', parseWhole)
    .option('--cursor <cursor>', 'continue where a list stopped')
    .addHelpText('after', '\nExamples:\n  nokosu sessions --project shop --limit 10')
    .action(sessions)
}

const COLUMNS: readonly Column<Session>[] = [
  { title: 'ID', value: (session) => session.id, style: () => 'dim' },
  { title: 'AGENT', value: (session) => session.agent ?? '-' },
  { title: 'PROJECT', value: (session) => session.project ?? '-' },
  { title: 'TIER', value: (session) => (session.tier === null ? '-' : String(session.tier)), align: 'right' },
  { title: 'STARTED', value: (session) => session.startedAt },
  { title: 'STATE', value: (session) => (session.endedAt === null ? 'open' : `ended ${session.endedAt}`) },
  { title: 'EXIT', value: (session) => (session.exitCode === null ? '-' : String(session.exitCode)), align: 'right' },
  { title: 'OUTCOME', value: (session) => session.outcome ?? '-' },
]

async function sessions(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { limit, cursor } = options
  const page = await withEngine(options, 'read', (engine, config) =>
    engine.sessions({
      ...readClaim(options, config),
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
    }),
  )
  if (options.json) return printJson(page)
  if (page.sessions.length === 0) return note('No sessions.')
  await write(formatTable(page.sessions, COLUMNS))
  if (page.nextCursor !== null) note(`More: --cursor ${page.nextCursor}`)
}
