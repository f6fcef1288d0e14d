import type { Config } from '../../config/load-config.ts'
import { requireOperator } from '../../engine/operator.ts'
import type { Progress as StageProgress } from '../../migrate/reconcile.ts'
import { shownUrl } from '../../storage/shown-url.ts'
import { defineCommand } from '../command.ts'
import { printMigration, printPlan } from '../format-migration.ts'
import { stopSignal } from '../interruption.ts'
import { readEnds } from '../migration-ends.ts'
import { readConfig, withEngine } from '../open-engine.ts'
import { note, printJson } from '../output.ts'
import { type Progress, showProgress } from '../progress.ts'
import { shell } from '../shell.ts'

export const { configure } = defineCommand({
  required: { '--from <url>': 'the store to move', '--to <url>': 'the store to move it to' },
  options: {
    '--dry-run': 'only show what would be moved, and any obstacles',
    '--merge': 'add to a target that is not empty, and keep what it has',
    '--no-vectors': "do not move the vectors; 'nokosu reembed' computes them in the target",
  },
  help: `
Moves everything between two stores of any kind: memories with their vectors and history, sessions, what they were shown, events,
personalities, the directory and tokens. Nothing is removed from the source. It can be stopped at any time, even with kill -9,
and resumes when run again. Writes to the source in the meantime are moved too. At the end both stores are compared, by count and checksum.

Examples:
  nokosu migrate --from sqlite:.nokosu/memory.db --to postgres://host/memory --dry-run
  nokosu migrate --from sqlite:.nokosu/memory.db --to 'dynamodb://eu-west-1?prefix=prod-'
  nokosu migrate --from postgres://host/memory --to sqlite:copy.db`,
  async run(options) {
    const { json, dryRun = false, vectors, merge = false } = options
    requireOperator({ insideRun: Boolean(shell().env.NOKOSU_SESSION) }, { identifiers: null }, 'moves a store')
    const { db: from } = await readConfig({ ...options, db: options.from })
    const config = await readConfig({ ...options, db: options.to })
    const ends = readEnds(from, config.db)
    // Otherwise records spooled for the source would reach it after it has moved.
    if (!dryRun) await withEngine({ ...options, db: options.from }, 'change', async () => {})
    const [{ beginMigration, planBeginning }, stores] = await Promise.all([
      import('../../migrate/begin.ts'),
      openStores(from, config, dryRun),
    ])
    const stages = showStages()
    const work = { ...ends, ...stores, vectors, merge, retry: config.retry, signal: stopSignal(), ...stages }
    const shown = { from: shownUrl(from), to: shownUrl(config.db), dryRun }
    try {
      if (dryRun) {
        const plan = await planBeginning(work)
        if (plan.obstacles.length > 0) shell().exitCode = 1
        return await (json ? printJson({ ...shown, ...plan }) : printPlan(plan))
      }
      const result = await beginMigration(work)
      if (!result.verified) shell().exitCode = 1
      if (json) return await printJson({ ...shown, ...result })
      await printMigration(result)
      if (!result.verified) return
      const last = 'Then run this once more to move the last writes.'
      note(`Point all writers to ${shown.to} now. ${last}`)
    } catch (error) {
      stages.end()
      if (work.signal.aborted) note('Stopped. What was moved is kept. Run the same command again to continue.')
      throw error
    } finally {
      stages.end()
      await Promise.allSettled([stores.source.shutdown(), stores.target.shutdown()])
    }
  },
})

/** Bypasses the engine: the memories were judged when they were stored, and arrive unchanged. */
async function openStores(from: string, { db, storeName, embedding }: Config, dryRun: boolean) {
  const [{ openEmbedding }, { openStorage }, { checkedStorage }, { prepareStore }] = await Promise.all([
    import('../../embedding/open-embedding.ts'),
    import('../../storage/open-storage.ts'),
    import('../../storage/checked-storage.ts'),
    import('../../config/prepare-store.ts'),
  ])
  // Only its name is needed; the model itself is never loaded.
  const { name, dimensions } = await openEmbedding(embedding)
  if (!dryRun) prepareStore(db, storeName)
  return {
    model: { name, dimensions },
    source: checkedStorage(await openStorage(from)),
    target: checkedStorage(await openStorage(db)),
  }
}

function showStages() {
  let label = ''
  let bar: Progress | null = null
  return {
    onProgress({ kind, doing, done, total }: StageProgress) {
      const next = `${doing === 'comparing' ? 'Comparing' : 'Moving'} ${kind}`
      if (next !== label) {
        bar?.end()
        bar = showProgress(next)
        label = next
      }
      bar?.update(done, total)
    },
    end: () => bar?.end(),
  }
}
