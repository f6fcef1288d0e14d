import { PRUNED } from '../../storage/upkeep.ts'
import { defineCommand } from '../command.ts'
import { stopSignal } from '../interruption.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, printJson, printLine } from '../output.ts'

export const { configure } = defineCommand({
  options: {
    '--dry-run': 'only print what would be done',
    '--anyway': 'continue even if the clock seems to have jumped years ahead',
  },
  help: `
Stores the decay of old operational memories (0.1 of confidence for each week after 30 days without reinforcement; memory.decay in the
configuration changes this by category), makes workflow memories
beyond the caps inactive, removes expired memories, and removes sessions, events
and showings older than memory.keepDays (by default they are kept). On PostgreSQL it also builds or drops the index of vectors, as the
largest scope needs it, which may take minutes. A second sweep right after the first changes nothing. Reads apply decay
and expiry by themselves, so a sweep once a night is enough. If most fading memories were last confirmed more than a year ago, the
clock is probably wrong: the sweep stops, changes nothing and says so.

Examples:
  nokosu sweep --dry-run
  nokosu sweep --json`,
  async run(options) {
    const { dryRun = false, anyway = false } = options
    const signal = stopSignal()
    const report = await withEngine(options, dryRun ? 'read' : 'change', (engine) =>
      engine.sweep({ dryRun, anyway, signal }),
    )
    if (options.json) return printJson(report)
    const { returned, decayed, deactivated, retired, expired, unreadable, indexes = [] } = report
    if (returned > 0) await printLine(`returned  ${returned} that do not fade`)
    await printLine(`decayed   ${decayed} (${deactivated} of them now inactive)`)
    await printLine(`retired   ${retired} beyond the caps`)
    await printLine(`expired   ${expired} removed`)
    const pruned = PRUNED.filter((kind) => report[kind] > 0).map((kind) => `${report[kind]} ${kind}`)
    if (pruned.length > 0) await printLine(`pruned    ${pruned.join(', ')}`)
    if (indexes.length > 0) await printLine(`indexes   ${indexes.join(', ')}`)
    if (unreadable > 0) {
      const what = countOf(unreadable, 'item of another program:', 'items of other programs:')
      await printLine(`unread    ${what} not memories, left unchanged`)
    }
    if (dryRun) await printLine('Nothing was changed: this was a dry run.')
  },
})
