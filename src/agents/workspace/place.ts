import { realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryError } from '../../model/errors.ts'
import { toBytes } from './block.ts'
import { hashOf, JournalFolder } from './journal.ts'
import { findRepository, type Repository } from './repository.ts'

export const INSTRUCTIONS = 'CLAUDE.md'
export const MEMORY = '.claude/memory/MEMORY.md'
/** Claude Code does not look for the memory file by itself. */
export const IMPORT = `@${MEMORY}`

/** A workspace, and where its journal and its lock are. */
export interface Place {
  workspace: string
  repository: Repository | null
  journals: JournalFolder
  lock: string
}

export async function findPlace(given: string): Promise<Place> {
  const workspace = await realpath(given).catch((cause) => {
    throw new MemoryError('INVALID_INPUT', `There is no workspace ${given}.`, {
      details: { field: 'workspace' },
      cause,
    })
  })
  if (!(await stat(workspace)).isDirectory()) {
    throw new MemoryError('INVALID_INPUT', `${given} is not a folder.`, { details: { field: 'workspace' } })
  }
  const repository = await findRepository(workspace)
  // In the repository's own folder neither the agent nor `git clean` comes across them.
  if (repository) {
    const folder = join(repository.commonDir, 'nokosu')
    return { workspace, repository, journals: new JournalFolder(folder), lock: folder }
  }
  const lock = join(tmpdir(), `nokosu-${process.getuid?.() ?? 'user'}`, hashOf(toBytes(workspace)).slice(0, 16))
  return { workspace, repository, journals: localJournals(workspace), lock }
}

export function localJournals(workspace: string): JournalFolder {
  return new JournalFolder(join(workspace, '.nokosu-restore'))
}
