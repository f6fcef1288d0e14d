import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { MemoryError } from '../../model/errors.ts'
import type { Ours } from '../workspace/block.ts'
import type { Git } from '../workspace/git.ts'
import { attributesForCopies, COPIES, filterConfig } from '../workspace/shield.ts'

const execute = promisify(execFile)

const PATIENCE_MS = 500

/**
 * An environment in which every git started by the agent removes our blocks from Markdown files, wherever they are: copied,
 * moved, in a new repository, or in one with a separate git folder. Nothing is written into a repository.
 */
export async function gitShield(
  folder: string,
  { file, ours }: { file: string; ours: Ours },
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Record<string, string>> {
  const attributes = join(folder, 'attributes')
  const options = { cwd, env, timeout: PATIENCE_MS, encoding: 'latin1' } as const
  const git: Git = (args) => execute('git', args, options).then(({ stdout }) => stdout)
  const lines = await attributesForCopies(git, env, attributes, [basename(file)])
  await writeFile(attributes, lines, { mode: 0o600, encoding: 'latin1' })
  const config = filterConfig(ours, attributes)
  const first = Number(env.GIT_CONFIG_COUNT) || 0
  const shield = Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(first + config.length)],
    ...config.flatMap(([key, value], position) => [
      [`GIT_CONFIG_KEY_${first + position}`, key],
      [`GIT_CONFIG_VALUE_${first + position}`, value],
    ]),
  ])
  await assertRaised(cwd, { ...env, ...shield })
  return shield
}

/** The repository's attributes override ours: `*.md -filter` would let a copy of the block into a commit. */
async function assertRaised(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const asked = execute('git', ['check-attr', 'filter', '--', 'copy.md'], { cwd, env, timeout: PATIENCE_MS })
  // Without a repository there is nothing to commit yet.
  const said = await asked.then(
    ({ stdout }) => stdout.trim(),
    () => COPIES,
  )
  if (said.endsWith(COPIES)) return
  const why = `the attributes of this repository turn off filters for Markdown (${said}), so a copy of the injected text could be committed`
  throw new MemoryError('UNSUPPORTED', why)
}
