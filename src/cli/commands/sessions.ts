import type { Command } from 'commander'
import type { Session } from '../../model/records.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { type Column, formatTable, note, printJson, write } from '../output.ts'
import { parseWhole } from '../parse-flags.ts'

interface Options extends GlobalOptions {
  limit: number
  before?: string
}

/** `nokosu sessions` */
export function configure(command: Command): void {
  command
    .option('--limit <number>', 'at most this many', parseWhole, 50)
    .option('--before <id>', 'only sessions before this one')
    .addHelpText('after', '\nExamples:\n  nokosu sessions --limit 10')
    .action(sessions)
}

const COLUMNS: readonly Column<Session>[] = [
  { title: 'ID', value: (session) => session.id, style: () => 'dim' },
  { title: 'AGENT', value: (session) => session.agent ?? '-' },
  { title: 'PROJECT', value: (session) => session.project ?? '-' },
  { title: 'TIER', value: (session) => (session.tier === null ? '-' : String(session.tier)), align: 'right' },
  { title: 'STARTED', value: (session) => session.startedAt },
  { title: 'ENDED', value: (session) => session.endedAt ?? 'running' },
  { title: 'EXIT', value: (session) => (session.exitCode === null ? '-' : String(session.exitCode)), align: 'right' },
  { title: 'OUTCOME', value: (session) => session.outcome ?? '-' },
]

async function sessions(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { limit, before } = options
  const page = await withEngine(options, 'read', (engine) =>
    engine.sessions({ limit, ...(before === undefined ? {} : { before }) }),
  )
  if (options.json) return printJson(page)
  if (page.sessions.length === 0) return note('No sessions yet.')
  await write(formatTable(page.sessions, COLUMNS))
  if (page.totalCount > page.sessions.length)
    note(`${page.sessions.length} of ${page.totalCount}. More: --before ${page.sessions.at(-1)!.id}`)
}
