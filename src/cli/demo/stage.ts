import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { invalidInput } from '../../model/errors.ts'
import { shell } from '../shell.ts'

export interface Stage {
  folder: string
  store: string
  config: string
  spool: string
  kept: boolean
  env: NodeJS.ProcessEnv
}

/** A temporary folder that is removed when this process ends, or the folder `keep`, which stays. */
export function openStage(keep: string | undefined): Stage {
  const folder = keep === undefined ? temporaryFolder() : emptyFolder(resolve(shell().cwd, keep))
  const config = join(folder, 'nokosu.config.json')
  writeFileSync(config, `${JSON.stringify({ embedding: { kind: 'local' } })}\n`)
  return {
    folder,
    store: `sqlite:${join(folder, '.nokosu', 'memory.db')}`,
    config,
    spool: join(folder, '.nokosu', 'spool'),
    kept: keep !== undefined,
    env: environment(),
  }
}

/** The caller's environment without its settings of Nokosu, which do not apply to the demo. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(shell().env).filter(([name]) => !/^(NOKOSU|CLAUDEOPS)_/.test(name)))
}

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nokosu-demo-')))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function emptyFolder(folder: string): string {
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length === 0) return folder
  throw invalidInput('keep', `The folder is not empty: ${folder}. Choose a new one for --keep.`)
}
