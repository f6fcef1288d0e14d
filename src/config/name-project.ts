import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { isAlike, keptName, meantProject } from './known-projects.ts'
import { NAME_FILE, STORE_FOLDER, storeFile } from './prepare-store.ts'
import { type Repository, readIfThere } from './repository.ts'
import { namesOf, shortName, toIdentifier, uniqueName } from './repository-name.ts'

export interface ProjectName {
  /** Absent if the project is unknown. */
  project?: string
  storeName: string | null
}

/**
 * Which project a folder belongs to. An explicit name comes first. Otherwise it is the repository, named by its remote or by
 * an id of its own, so that two folders with the same name are two projects. A folder outside a repository needs an explicit name.
 *
 * In a repository's own store all its names, in any case, mean the same project, and the first one used stays: adding a remote or
 * renaming the folder must not hide memories. `storeName` is that name until it is recorded. It depends only on the
 * repository and the explicit name, never on the contents of `.nokosu`, so that a run and its store process agree.
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

/** A `.nokosu` in the repository itself. One in a parent folder may be shared by several repositories. */
function isOwnStore(file: string, main: string): boolean {
  const folder = dirname(file)
  return basename(folder) === STORE_FOLDER && !relative(main, folder).startsWith('..')
}

function nameIn(file: string): string | null {
  return toIdentifier(readIfThere(join(dirname(file), NAME_FILE)) ?? '') || null
}
