import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { MemoryError } from '../../model/errors.ts'

/** Where the demo plays: a folder with a store of its own. */
export interface Stage {
  folder: string
  store: string
  config: string
  spool: string
  kept: boolean
}

/** A temporary folder that is gone when this process ends, however it ends; with `keep` that folder, and it stays. */
export function openStage(keep: string | undefined): Stage {
  const folder = keep === undefined ? temporaryFolder() : emptyFolder(resolve(keep))
  const config = join(folder, 'nokosu.config.json')
  writeFileSync(config, `${JSON.stringify({ embedding: { kind: 'local' } })}\n`)
  prepareEnvironment()
  return {
    folder,
    store: `sqlite:${join(folder, '.nokosu', 'memory.db')}`,
    config,
    spool: join(folder, '.nokosu', 'spool'),
    kept: keep !== undefined,
  }
}

/** For this process and those that it starts. */
function prepareEnvironment(): void {
  // The caller's settings are not the demo's.
  for (const name of Object.keys(process.env)) if (/^(NOKOSU|CLAUDEOPS)_/.test(name)) delete process.env[name]
}

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nokosu-demo-')))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function emptyFolder(folder: string): string {
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length === 0) return folder
  throw new MemoryError('INVALID_INPUT', `The folder is not empty: ${folder}. Choose a new one for --keep.`, {
    details: { field: 'keep' },
  })
}
