import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { LIMITS } from '../model/limits.ts'
import { createOnce } from './create-once.ts'
import { readRemoteName } from './remote-name.ts'
import { folderName, type Repository, readIfThere } from './repository.ts'
import { safePart } from './safe-name.ts'

const ID_FILE = 'nokosu-project'
const ID_LENGTH = 8

export interface RepositoryNames {
  /** The folder's name, as the first version used it. Not unique. */
  folder: string
  /** From its remote; null without one. */
  remote: string | null
  /** From its remote as older versions used it, without the host. Not unique. */
  former: string | null
  /** From an id of its own; null as long as it has none. */
  id: string | null
}

export function namesOf(repository: Repository): RepositoryNames {
  const remote = readRemoteName(repository.common, repository.main)
  return {
    folder: toIdentifier(safePart(folderName(repository))) || 'project',
    remote: toIdentifier(remote?.name ?? '') || null,
    former: toIdentifier(remote?.former ?? '') || null,
    id: readId(join(repository.common, ID_FILE)),
  }
}

/** The repository's unique name: from its remote, otherwise from an id that is created once in its git folder. */
export function uniqueName({ common }: Repository, { folder, remote, id }: RepositoryNames): string {
  return remote ?? id ?? createId(join(common, ID_FILE), folder) ?? withId(folder, hashOf(common))
}

function readId(file: string): string | null {
  return toIdentifier(readIfThere(file) ?? '') || null
}

/** `shop` for `github.com/acme/shop`, and for a name with an id behind it. */
export function shortName(project: string): string {
  const last = project.slice(project.lastIndexOf('/') + 1)
  return last.replace(/(?<=.)~[0-9a-f]{8}$/, '')
}

/** The id that this or another process has just written. Null if nothing can be written. */
function createId(file: string, folder: string): string | null {
  const own = withId(folder, randomBytes(ID_LENGTH / 2).toString('hex'))
  try {
    if (createOnce(file, `${own}\n`)) return own
  } catch {
    return null
  }
  return readId(file)
}

function withId(folder: string, id: string): string {
  return `${folder.slice(0, LIMITS.identifier - ID_LENGTH - 1).toWellFormed()}~${id}`
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, ID_LENGTH)
}

/** File names and addresses may contain what an identifier may not. */
export function toIdentifier(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, LIMITS.identifier)
    .trim()
    .toWellFormed()
}
