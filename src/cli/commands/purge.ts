import { defineCommand } from '../command.ts'
import { agree } from '../confirm.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { whole } from '../parse-flags.ts'

const DAY_MS = 86_400_000

export const { configure } = defineCommand({
  options: {
    '--older-than <days>': ['only what has been inactive or deleted for this many days (default: 0)', whole(0, 36_500)],
    '--dry-run': 'only print what would be removed',
    '-y, --yes': 'do not ask',
  },
  help: `
Removes inactive memories for good, with their history, and the history of deleted memories. A purge cannot be undone, so make
an export first. It says whether they are gone from the store's files, and if not, where they remain and what to do. Memories
that quote them, as corrections do, keep their quotes; 'nokosu search' finds those. Delete backups and exports yourself.

Examples:
  nokosu purge --older-than 90 --dry-run
  nokosu export --all backup.jsonl && nokosu purge --older-than 90 --yes`,
  async run(options) {
    const { dryRun = false, olderThan = 0 } = options
    const before = new Date(Date.now() - olderThan * DAY_MS)
    if (!dryRun && !options.yes) {
      const { memories, changes } = await withEngine(options, 'read', (engine) =>
        engine.purge({ before, dryRun: true }),
      )
      const what = `${countOf(memories, 'memory', 'memories')} and ${countOf(changes, 'entry', 'entries')} of history`
      const question = `Remove ${what} for good? There is no undo.`
      if (memories + changes > 0 && !(await agree(question, options))) return note('Nothing was removed.')
    }
    const report = await withEngine(options, dryRun ? 'read' : 'change', (engine) => engine.purge({ before, dryRun }))
    if (options.json) return printJson(report)
    const { memories, changes, vectors, erased, remains } = report
    await printLine(
      `${dryRun ? 'Would remove' : 'Removed'} ${countOf(memories, 'memory', 'memories')}, ` +
        `${countOf(changes, 'entry', 'entries')} of history, ${countOf(vectors, 'unused vector', 'unused vectors')}.`,
    )
    if (dryRun) return
    // Even if this purge removed nothing: an earlier one may have left text behind.
    const gone = 'The removed memories and their history are gone from the store’s files.'
    if (erased) return printLine(`${gone} Quotes of them in other memories stay.`)
    const left = remains ?? 'The removed text may still be read from the store’s files.'
    await printLine(paint('yellow', `Not erased yet. ${left}`))
  },
})
