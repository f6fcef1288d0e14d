import { MemoryError } from '../../model/errors.ts'
import type { DirectoryEntry } from '../../model/records.ts'
import { defineCommand } from '../command.ts'
import { readIdentifiers } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { noteEmpty, printJson, printLine, write } from '../output.ts'
import { type Column, formatTable } from '../table.ts'

const COLUMNS: readonly Column<DirectoryEntry & { from: string }>[] = [
  { title: 'WHAT', value: (entry) => `${entry.layer} ${entry.id}` },
  { title: 'TEAM', value: (entry) => entry.teamId ?? '-' },
  { title: 'ORG', value: (entry) => entry.orgId ?? '-' },
  { title: 'COMPANY', value: (entry) => entry.companyId ?? '-' },
  { title: 'FROM', value: (entry) => entry.from },
]

const from = (source: string) => (entry: DirectoryEntry) => ({ ...entry, from: source })

const set = defineCommand({
  identifiers: ['project', 'team', 'org', 'company'],
  async run(options) {
    const entries = await withEngine(options, 'write', (engine) => engine.directory.set(readIdentifiers(options)))
    await (options.json ? printJson(entries) : write(formatTable(entries.map(from('store')), COLUMNS)))
  },
})

const list = defineCommand({
  run: (options) =>
    withEngine(options, 'read', async (engine, config) => {
      const stored = await engine.directory.list()
      if (options.json) return printJson(stored)
      // The configuration takes precedence, as it does when the engine looks something up.
      const rows = [...config.directory.map(from(config.file ?? 'configuration')), ...stored.map(from('store'))]
      if (rows.length > 0) return write(formatTable(rows, COLUMNS))
      noteEmpty("The directory is empty. 'nokosu directory set --project shop --team web' adds an entry.")
    }),
})

const remove = defineCommand({
  identifiers: ['project', 'team', 'org'],
  async run(options) {
    const given = (['project', 'team', 'org'] as const).filter((layer) => options[layer] !== undefined)
    const layer = given[0]
    if (layer === undefined || given.length > 1) {
      const hint = 'For example:\n  nokosu directory remove --team web'
      throw new MemoryError('INVALID_INPUT', 'Give one of --project, --team or --org.', { details: { hint } })
    }
    await withEngine(options, 'change', (engine) => engine.directory.remove(layer, options[layer]!))
    await (options.json ? printJson({ success: true }) : printLine('Removed.'))
  },
})

export const { configure } = defineCommand({
  commands: {
    set: ['record which team, org and company a project belongs to; give two or more', set],
    list: ['list all entries', list],
    remove: ['remove the entry of one project, team or org', remove],
  },
  help: `
Examples:
  nokosu directory set --project shop --team web --org retail --company acme
  nokosu directory list
  nokosu directory remove --project shop`,
})
