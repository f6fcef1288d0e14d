import type { Config } from '../config/load-config.ts'
import { storeFile } from '../config/prepare-store.ts'
import { shortName } from '../config/repository-name.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { hasOwner } from '../storage/sqlite/file-owner.ts'
import { commandLine } from './command-line.ts'
import { confirm } from './confirm.ts'
import { countOf, note } from './output.ts'
import { showProgress } from './progress.ts'
import { shell } from './shell.ts'

/**
 * Handles an older tool's database before it is opened for the first time: its memories have no project, and are adopted into the one
 * named with `--project`, or into the current one after a yes on the terminal. Nothing is adopted silently. `open` then opens the store,
 * which completes its tables, and every memory gets a vector.
 */
export async function adoptStore(
  config: Config,
  named: string | undefined,
  open: () => Promise<Nokosu>,
): Promise<void> {
  const foreign = await findForeign(config)
  if (foreign === null) return
  const { project } = config
  const { file, what } = foreign
  const isAgreed =
    project !== undefined &&
    (named !== undefined ||
      (shell().stdin.isTTY === true && (await confirm(`${what} Adopt them into the project ${shortName(project)}?`))))
  if (!isAgreed) {
    const { hint } = foreign
    throw new MemoryError('CONFIGURATION_ERROR', `${what} Name the project that adopts them: --project NAME.`, {
      details: { path: file, rows: foreign.rows, hint },
    })
  }
  const { adoptInto, adoptLaterRows } = await import('../storage/sqlite/foreign-file.ts')
  await adoptInto(file, project)
  note(`${what} They are adopted into the project ${shortName(project)}.`)
  const engine = await open()
  try {
    await adoptLaterRows(file, project)
    await embedAll(engine)
  } finally {
    await engine.shutdown()
  }
}

/** The configured store, if it has memories of an older tool that are not adopted yet. `hint` is the command that adopts them. */
export async function findForeign({
  db,
}: Pick<Config, 'db'>): Promise<{ file: string; what: string; rows: number; hint: string } | null> {
  const file = storeFile(db)
  if (file === null || hasOwner(file)) return null
  const { readForeign } = await import('../storage/sqlite/foreign-file.ts')
  const foreign = await readForeign(file)
  if (foreign === null) return null
  const { tool, rows } = foreign
  const what = `${file} is a ${tool} database with ${countOf(rows, 'memory', 'memories')}.`
  return { file, what, rows, hint: commandLine('list', '--db', file, '--project', 'shop') }
}

/** Without a model, memories are found by their words; `nokosu reembed` creates the vectors later. */
async function embedAll(engine: Nokosu): Promise<void> {
  const progress = showProgress('Embedding')
  try {
    await engine.reembed({ onProgress: progress.update })
  } catch (error) {
    if (!MemoryError.is(error)) throw error
    note(`Warning: they have no vectors yet (${error.message}). Later: nokosu reembed`)
  } finally {
    progress.end()
  }
}
