import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/load-config.ts'
import { storeFile } from '../config/prepare-store.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'
import { stateFolder } from '../remote/spool-folders.ts'
import { shownUrl } from '../storage/shown-url.ts'
import { shell } from './shell.ts'

export interface Ends {
  from: string
  to: string
  /** The same for every run of this migration. */
  id: string
  journal: string
  isSame: boolean
  /** The target is a file that does not exist yet. */
  isNew: boolean
}

export function readEnds(from: Config['db'], to: Config['db']): Ends {
  for (const [flag, url] of Object.entries({ from, to })) {
    if (url !== 'sqlite::memory:' && !url.startsWith('memory:')) continue
    throw refused(
      flag,
      `--${flag} is an in-memory store: it ends with the process.`,
      'Give a persistent store, such as sqlite:path.',
    )
  }
  if (/^https?:/.test(to)) {
    throw refused(
      'to',
      'A server records every write under the name of the token, so the history would change.',
      "Give the server's own store with --to, on a machine that reaches it.",
    )
  }
  const file = storeFile(from)
  if (file !== null && !existsSync(file)) {
    throw invalidInput('from', `There is no store to move: ${file} does not exist.`)
  }
  const target = storeFile(to)
  const names = [nameOf(from), nameOf(to)]
  const id = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32)
  return {
    from,
    to,
    id,
    journal: join(stateFolder(shell().env), 'nokosu', 'migrate', `${id}.json`),
    isSame: names[0] === names[1],
    isNew: target !== null && !existsSync(target),
  }
}

function refused(field: string, message: string, hint: string): MemoryError {
  return new MemoryError('UNSUPPORTED', message, { details: { field, hint } })
}

/** A store's name without credentials. */
function nameOf(url: string): string {
  const file = storeFile(url)
  if (file === null) return shownUrl(url).replace(/^postgresql:/, 'postgres:')
  return `sqlite:${hostname()}:${existsSync(file) ? realpathSync(file) : file}`
}
