import type { Command } from 'commander'
import type { Config } from '../../config/load-config.ts'
import { requireOperator } from '../../engine/operator.ts'
import type { Plan } from '../../migrate/dry-run.ts'
import type { Migration } from '../../migrate/migrate.ts'
import type { Progress as StageProgress } from '../../migrate/reconcile.ts'
import { shownUrl } from '../../storage/shown-url.ts'
import { printMigration, printPlan } from '../format-migration.ts'
import { stopSignal } from '../interruption.ts'
import { type Ends, readEnds } from '../migration-ends.ts'
import { type GlobalOptions, readConfig, withEngine } from '../open-engine.ts'
import { note, printJson } from '../output.ts'
import { type Progress, showProgress } from '../progress.ts'
import { shell } from '../shell.ts'

interface Options extends GlobalOptions {
  from: string
  to: string
  dryRun?: boolean
  merge?: boolean
  vectors: boolean
}

/** `nokosu migrate` */
export function configure(command: Command): void {
  command
    .requiredOption('--from <url>', 'the store to move')
    .requiredOption('--to <url>', 'the store to move it to')
    .option('--dry-run', 'only show what would be moved, and what stands in the way')
    .option('--merge', 'add to a target that is not empty; what it has stays')
    .option('--no-vectors', "leave the vectors behind; 'nokosu reembed' computes them in the target")
    .addHelpText(
      'after',
      `
Moves everything between two stores of any kind: memories with their vectors and history, sessions, what they were shown, events,
personalities, the directory and tokens. Nothing is removed from the source. It can be stopped at any time, also by kill -9: run
again, it goes on. Writes to the source meanwhile are moved too. In the end both stores are compared, by count and checksum.

Examples:
  nokosu migrate --from sqlite:.nokosu/memory.db --to postgres://host/memory --dry-run
  nokosu migrate --from sqlite:.nokosu/memory.db --to 'dynamodb://eu-west-1?prefix=prod-'
  nokosu migrate --from postgres://host/memory --to sqlite:copy.db`,
    )
    .action(migrateStore)
}

async function migrateStore(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  requireOperator({ insideRun: Boolean(shell().env.NOKOSU_SESSION) }, { identifiers: null }, 'moves a store')
  const { db: from } = await readConfig({ ...options, db: options.from })
  const config = await readConfig({ ...options, db: options.to })
  const ends = readEnds(from, config.db)
  // What runs left for the source would otherwise come to it after it has moved.
  if (!options.dryRun) await withEngine({ ...options, db: options.from }, 'change', async () => {})
  const [{ beginMigration, planBeginning }, stores] = await Promise.all([
    import('../../migrate/begin.ts'),
    openStores(from, config, options.dryRun === true),
  ])
  const stages = showStages()
  const { vectors, merge = false } = options
  const work = { ...ends, ...stores, vectors, merge, retry: config.retry, signal: stopSignal(), ...stages }
  try {
    if (options.dryRun) await showPlan(await planBeginning(work), ends, options)
    else await showResult(await beginMigration(work), ends, options)
  } catch (error) {
    stages.end()
    if (work.signal.aborted) note('Stopped. What was moved is kept. Run the same command again to go on.')
    throw error
  } finally {
    stages.end()
    await Promise.allSettled([stores.source.shutdown(), stores.target.shutdown()])
  }
}

/** Not through the engine: what the stores hold was judged when it was stored, and arrives as it is. */
async function openStores(from: string, { db, storeName, embedding }: Config, dryRun: boolean) {
  const [{ openEmbedding }, { openStorage }, { checkedStorage }, { prepareStore }] = await Promise.all([
    import('../../embedding/open-embedding.ts'),
    import('../../storage/open-storage.ts'),
    import('../../storage/checked-storage.ts'),
    import('../../config/prepare-store.ts'),
  ])
  // Its name is asked for; the model itself is never loaded.
  const { name, dimensions } = await openEmbedding(embedding)
  if (!dryRun) prepareStore(db, storeName)
  return {
    model: { name, dimensions },
    source: checkedStorage(await openStorage(from)),
    target: checkedStorage(await openStorage(db)),
  }
}

/** A bar for each stage. */
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

async function showPlan(plan: Plan, { from, to }: Ends, { json }: Options): Promise<void> {
  if (plan.obstacles.length > 0) shell().exitCode = 1
  await (json ? printJson({ from: shownUrl(from), to: shownUrl(to), dryRun: true, ...plan }) : printPlan(plan))
}

async function showResult(result: Migration, { from, to }: Ends, { json }: Options): Promise<void> {
  if (!result.verified) shell().exitCode = 1
  if (json) return printJson({ from: shownUrl(from), to: shownUrl(to), dryRun: false, ...result })
  await printMigration(result)
  if (!result.verified) return
  note(
    `Point all writers to ${shownUrl(to)} now. Then run this once more: it moves what was written to the source until then.`,
  )
}
