import type { Command } from 'commander'
import { MemoryError } from '../../model/errors.ts'
import type { DirectoryEntry } from '../../model/records.ts'
import { addIdentifierOptions, type IdentifierOptions, readIdentifiers } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { noteEmpty, printJson, printLine, write } from '../output.ts'
import { type Column, formatTable } from '../table.ts'

type Options = GlobalOptions & IdentifierOptions

/** `nokosu directory` */
export function configure(command: Command): void {
  command.addHelpText(
    'after',
    `
Examples:
  nokosu directory set --project shop --team web --org retail --company acme
  nokosu directory list
  nokosu directory remove --project shop`,
  )
  addIdentifierOptions(
    command.command('set').description('record which team, org and company a project belongs to; give two or more'),
    ['project', 'team', 'org', 'company'],
  ).action(set)
  command.command('list').description('list what belongs to what').action(list)
  addIdentifierOptions(command.command('remove').description('remove the entry of one project, team or org'), [
    'project',
    'team',
    'org',
  ]).action(remove)
}

const COLUMNS: readonly Column<DirectoryEntry & { from: string }>[] = [
  { title: 'WHAT', value: (entry) => `${entry.layer} ${entry.id}` },
  { title: 'TEAM', value: (entry) => entry.teamId ?? '-' },
  { title: 'ORG', value: (entry) => entry.orgId ?? '-' },
  { title: 'COMPANY', value: (entry) => entry.companyId ?? '-' },
  { title: 'FROM', value: (entry) => entry.from },
]

async function set(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const entries = await withEngine(options, 'write', (engine) => engine.directory.set(readIdentifiers(options)))
  if (options.json) return printJson(entries)
  await write(
    formatTable(
      entries.map((entry) => ({ ...entry, from: 'store' })),
      COLUMNS,
    ),
  )
}

async function list(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  await withEngine(options, 'read', async (engine, config) => {
    const stored = await engine.directory.list()
    if (options.json) return printJson(stored)
    // The configuration comes first, as it does when the engine looks something up.
    const rows = [
      ...config.directory.map((entry) => ({ ...entry, from: config.file ?? 'configuration' })),
      ...stored.map((entry) => ({ ...entry, from: 'store' })),
    ]
    if (rows.length === 0)
      return noteEmpty("The directory is empty. 'nokosu directory set --project shop --team web' adds an entry.")
    await write(formatTable(rows, COLUMNS))
  })
}

async function remove(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const given = (['project', 'team', 'org'] as const).filter((layer) => options[layer] !== undefined)
  const layer = given[0]
  if (layer === undefined || given.length > 1) {
    const hint = 'Such as:\n  nokosu directory remove --team web'
    throw new MemoryError('INVALID_INPUT', 'Give one of --project, --team or --org.', { details: { hint } })
  }
  await withEngine(options, 'change', (engine) => engine.directory.remove(layer, options[layer]!))
  if (options.json) return printJson({ success: true })
  await printLine('Removed.')
}
