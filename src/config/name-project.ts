import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { isAlike, keptName, meantProject } from './known-projects.ts'
import { NAME_FILE, STORE_FOLDER, storeFile } from './prepare-store.ts'
import { type Repository, readIfThere } from './repository.ts'
import { namesOf, shortName, toIdentifier, uniqueName } from './repository-name.ts'

export interface ProjectName {
  /** Absent where nothing says which project it is. */
  project?: string
  storeName: string | null
}

/**
 * Which project a folder belongs to. A name that somebody gives comes first. Otherwise it is the repository: named by its remote, or by
 * an id of its own, so that two folders of the same name are two projects. A folder outside a repository has no identity, and needs a name.
 *
 * In the store that a repository has for itself all its names, in whatever case, mean the same project, and the one used first stays: adding a remote or
 * renaming the folder must not hide what is remembered. `storeName` is that name while nothing has recorded it. It depends only on the
 * repository and the given name, never on what else `.nokosu` holds, so that a run and the process of its store agree on it.
 * Stores of the first version know the repository by its folder's name.
 */
export function nameProject(repository: Repository | null, db: string, given: string | undefined): ProjectName {
  const file = storeFile(db)
  if (repository === null) return named(given === undefined ? given : meantProject(file, given, null))
  const names = namesOf(repository)
  if (file === null || !isOwnStore(file, repository.main)) {
    const own = keptName(file, uniqueName(repository, names), names.former)
    const isOwn = given === undefined || (names.remote !== null && isAlike(given, names.remote))
    return named(isOwn ? own : meantProject(file, given, own))
  }
  const kept = nameIn(file) ?? (existsSync(file) ? names.folder : null)
  const all = [...Object.values(names), kept].flatMap((name) => (name === null ? [] : [name, shortName(name)]))
  const isOther = given !== undefined && !all.some((name) => isAlike(name, given))
  if (kept !== null) return named(isOther ? meantProject(file, given, kept) : kept)
  if (isOther) return { project: given, storeName: uniqueName(repository, names) }
  const project = given ?? uniqueName(repository, names)
  return { project, storeName: project }
}

function named(project: string | undefined): ProjectName {
  return { ...(project === undefined ? {} : { project }), storeName: null }
}

/** A `.nokosu` in the repository itself. One above it may be shared by several. */
function isOwnStore(file: string, main: string): boolean {
  const folder = dirname(file)
  return basename(folder) === STORE_FOLDER && !relative(main, folder).startsWith('..')
}

function nameIn(file: string): string | null {
  return toIdentifier(readIfThere(join(dirname(file), NAME_FILE)) ?? '') || null
}
