import type { Config } from '../config/load-config.ts'
import { storeFile } from '../config/prepare-store.ts'
import { shortName } from '../config/repository-name.ts'
import { MemoryError } from '../model/errors.ts'
import { typedWith } from './command-line.ts'
import { confirm } from './confirm.ts'
import { countOf, note } from './output.ts'
import { shell } from './shell.ts'

/**
 * Before a database of an older tool is opened for the first time: its memories belong to no project, and are adopted into the one that is
 * named (`--project`), or into the current one after a yes on the terminal. Nothing is adopted silently.
 */
export async function adoptStore(config: Config, named: string | undefined): Promise<void> {
  const file = storeFile(config.db)
  if (file === null) return
  const { adoptInto, readForeign } = await import('../storage/sqlite/foreign-file.ts')
  const foreign = await readForeign(file)
  if (foreign === null) return
  const { project } = config
  const what = `${file} is a ${foreign.tool} database with ${countOf(foreign.rows, 'memory', 'memories')}.`
  const isAgreed =
    project !== undefined &&
    (named !== undefined ||
      (shell().stdin.isTTY === true && (await confirm(`${what} Adopt them into the project ${shortName(project)}?`))))
  if (!isAgreed) {
    throw new MemoryError('CONFIGURATION_ERROR', `${what} Say into which project they are adopted: --project NAME.`, {
      details: { path: file, rows: foreign.rows, hint: typedWith('--project', 'shop') },
    })
  }
  await adoptInto(file, project)
  note(`${what} They are adopted into the project ${shortName(project)}. For search by meaning: nokosu reembed`)
}
