import type { Command } from 'commander'
import { agree } from '../confirm.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { wholeIn } from '../parse-flags.ts'

interface Options extends GlobalOptions {
  olderThan?: number
  dryRun?: boolean
  yes?: boolean
}

const DAY_MS = 86_400_000

/** `nokosu purge` */
export function configure(command: Command): void {
  command
    .option(
      '--older-than <days>',
      'only what has been inactive or deleted for this many days (default: 0)',
      wholeIn('--older-than', 0, 36_500),
    )
    .option('--dry-run', 'only print what would be removed')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      `
Removes inactive memories for good, with their history, and the history of deleted memories. A purge cannot be undone, so make
an export first. It says whether they are gone from the store's files, and if not, where they remain and what to do. Memories
that quote them, as corrections do, keep their quotes; 'nokosu search' finds those. Backups and exports are yours to delete.

Examples:
  nokosu purge --older-than 90 --dry-run
  nokosu export --all backup.jsonl && nokosu purge --older-than 90 --yes`,
    )
    .action(purge)
}

async function purge(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const before = new Date(Date.now() - (options.olderThan ?? 0) * DAY_MS)
  if (!options.dryRun && !options.yes) {
    const { memories, changes } = await withEngine(options, 'read', (engine) => engine.purge({ before, dryRun: true }))
    const what = `${countOf(memories, 'memory', 'memories')} and ${countOf(changes, 'entry', 'entries')} of history`
    const question = `Remove ${what} for good? There is no undo.`
    if (memories + changes > 0 && !(await agree(question, options))) return note('Nothing was removed.')
  }
  const report = await withEngine(options, options.dryRun ? 'read' : 'change', (engine) =>
    engine.purge({ before, dryRun: options.dryRun === true }),
  )
  if (options.json) return printJson(report)
  const { memories, changes, vectors, erased, remains } = report
  await printLine(
    `${options.dryRun ? 'Would remove' : 'Removed'} ${countOf(memories, 'memory', 'memories')}, ` +
      `${countOf(changes, 'entry', 'entries')} of history, ${countOf(vectors, 'unused vector', 'unused vectors')}.`,
  )
  if (options.dryRun) return
  // Also when this purge found nothing to remove: an earlier one may have left text behind.
  if (erased)
    return printLine(
      'The removed memories and their history are gone from the store’s files. What other memories quote of them stays.',
    )
  await printLine(
    paint('yellow', `Not erased yet. ${remains ?? 'The removed text may still be read from the store’s files.'}`),
  )
}
