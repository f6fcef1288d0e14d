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
  /** The name of its folder, as the first version used it: others may have the same. */
  folder: string
  /** By its remote; null without one. */
  remote: string | null
  /** By its remote as it once was, without the host: others may have the same. */
  former: string | null
  /** By an id of its own; null while it has none. */
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

/** The name that no other repository has: by its remote, else by an id that is made once and kept in its folder of git. */
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

/** What this or another process has just written. Null where nothing can be written. */
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

/** File names and addresses may hold what an identifier may not. */
export function toIdentifier(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, LIMITS.identifier)
    .trim()
    .toWellFormed()
}
