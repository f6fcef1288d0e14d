import { requireOperator } from '../../engine/operator.ts'
import { shownUrl } from '../../storage/shown-url.ts'
import { defineCommand } from '../command.ts'
import { stopSignal } from '../interruption.ts'
import { readConfig } from '../open-engine.ts'
import { note, printJson, printLine } from '../output.ts'
import { type Progress, showProgress } from '../progress.ts'
import { shell } from '../shell.ts'

export const { configure } = defineCommand({
  options: { '--dry-run': 'only show what is missing' },
  help: `
A store that several machines share (PostgreSQL, DynamoDB) is changed by this command only, never by opening it. Machines with the
previous version keep working meanwhile and afterwards, so run it first, then replace them one by one. It may take long where
an index is built, and can be stopped at any time: run it again to continue. A SQLite file is upgraded when it is opened.

Examples:
  nokosu upgrade --db postgres://host/memory --dry-run
  nokosu upgrade --db postgres://host/memory`,
  async run(options) {
    const { json, dryRun = false } = options
    requireOperator({ insideRun: Boolean(shell().env.NOKOSU_SESSION) }, { identifiers: null }, 'upgrades a store')
    const { db } = await readConfig(options)
    const { openStorage } = await import('../../storage/open-storage.ts')
    const storage = await openStorage(db)
    const signal = stopSignal()
    const { onProgress, end } = showSteps()
    try {
      const steps = (await storage.upgrade?.({ dryRun, signal, onProgress })) ?? []
      end()
      if (json) return await printJson({ store: shownUrl(db), dryRun, steps })
      if (storage.upgrade === undefined) return await printLine('Nothing to do: opening this store upgrades it.')
      if (steps.length === 0) return await printLine('The schema is up to date.')
      for (const step of steps) await printLine(`${dryRun ? 'Missing' : 'Applied'}: ${step}`)
    } catch (error) {
      if (signal.aborted) note("Stopped. Run 'nokosu upgrade' again to continue.")
      throw error
    } finally {
      end()
      await storage.shutdown()
    }
  },
})

function showSteps() {
  let label = ''
  let bar: Progress | null = null
  const end = () => bar?.end()
  const onProgress = (step: string, done: number, total: number | null) => {
    if (step !== label) {
      end()
      bar = showProgress(`Applying ${step}`)
      label = step
    }
    bar?.update(done, total)
  }
  return { onProgress, end }
}
