import { LIMITS } from '../../model/limits.ts'
import type { AuditEntry } from '../../model/records.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { withEngine } from '../open-engine.ts'
import { note, noteEmpty, printJson, write } from '../output.ts'
import { text, whole } from '../parse-flags.ts'
import { type Column, formatTable } from '../table.ts'

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'WHEN', value: ({ at }) => at },
  { title: 'WHO', value: ({ by, via }) => `${by} (${via})` },
  { title: 'FROM', value: ({ from }) => from },
  { title: 'DID', value: ({ act }) => act },
  { title: 'WHAT', value: ({ what }) => describe(what) },
]

function describe(what: AuditEntry['what']): string {
  const told = Object.entries(what).filter(([, value]) => value !== null && JSON.stringify(value) !== '{}')
  return told.map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')
}

/** `nokosu audit` */
export const { configure } = defineCommand({
  options: {
    '--since <time>': ['from this day or time on, in UTC, such as 2026-03-01', text],
    '-n, --limit <number>': ['at most this many, up to 1000 (default: 50)', whole(1, LIMITS.pageLimit)],
    '--cursor <cursor>': 'continue from an earlier list',
  },
  help: `
Who reviewed, undid, related, retracted, pinned, deleted, purged, imported or exported all, and who made tokens or changed the directory
and personalities: newest first. An entry is stored together with what it is about. Nobody can change one; a sweep removes those older
than memory.keepDays.events.

Examples:
  nokosu audit
  nokosu audit --since 2026-03-01 --json`,
  async run(options) {
    const { since, limit, cursor } = options
    const page = await withEngine(options, 'read', (engine) => engine.audit(withoutUndefined({ since, limit, cursor })))
    if (options.json) return printJson(page)
    if (page.entries.length === 0) return noteEmpty('No operator acts are recorded.')
    await write(formatTable(page.entries, COLUMNS))
    if (page.nextCursor !== null) note(`More: --cursor ${page.nextCursor}`)
  },
})
