import { defineCommand } from '../command.ts'
import { stopSignal } from '../interruption.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, printJson, printLine } from '../output.ts'

/** `nokosu sweep` */
export const { configure } = defineCommand({
  options: { '--dry-run': 'only print what would be done' },
  help: `
Stores the decay of old memories (0.1 of confidence for each week after 30 days without reinforcement), makes workflow memories
beyond the caps inactive, and removes expired memories. A second sweep right after the first changes nothing. Reads apply decay
and expiry by themselves, so a sweep once a night is enough.

Examples:
  nokosu sweep --dry-run
  nokosu sweep --json`,
  async run(options) {
    const { dryRun = false } = options
    const signal = stopSignal()
    const report = await withEngine(options, dryRun ? 'read' : 'change', (engine) => engine.sweep({ dryRun, signal }))
    if (options.json) return printJson(report)
    const { decayed, deactivated, retired, expired, unreadable } = report
    await printLine(`decayed   ${decayed} (${deactivated} of them now inactive)`)
    await printLine(`retired   ${retired} beyond the caps`)
    await printLine(`expired   ${expired} removed`)
    if (unreadable > 0) {
      const what = countOf(unreadable, 'item of another program is', 'items of other programs are')
      await printLine(`unread    ${what} no memory, and left alone`)
    }
    if (dryRun) await printLine('Nothing was changed: this was a dry run.')
  },
})
