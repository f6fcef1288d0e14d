import { basename, resolve } from 'node:path'
import { findProject } from '../config/find-project.ts'
import { LIMITS } from '../model/limits.ts'
import { findRepository } from './repository.ts'

/**
 * Whose memories a session in this folder reads and leaves: `NOKOSU_PROJECT`, else the name of the repository's folder, else
 * of the folder that holds `.nokosu` or the configuration.
 */
export function projectName(cwd: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
  const chosen = clean(env.NOKOSU_PROJECT ?? '')
  if (chosen !== '') return chosen
  const name = findRepository(cwd)?.name ?? basename(findProject(resolve(cwd)).root)
  // The root of the file system has no name.
  return clean(name) || 'project'
}

/** File names may hold what an identifier may not. */
function clean(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, LIMITS.identifier)
    .toWellFormed()
}
