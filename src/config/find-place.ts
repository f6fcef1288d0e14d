import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { configurationError } from './configuration-error.ts'
import { STORE_FOLDER } from './prepare-store.ts'
import { findRepository, type Repository } from './repository.ts'

const CONFIG_FILES = ['nokosu.config.ts', 'nokosu.config.json', 'nokosu.config.yaml', 'nokosu.config.yml']

export interface Place {
  repository: Repository | null
  /** The folder that holds, or would hold, `.nokosu`. */
  root: string
  configFile: string | null
}

/**
 * Searches upward from a folder, as git does. The root is the nearest folder with a `.nokosu`, otherwise the nearest with a
 * repository or a configuration, otherwise the folder itself. A linked worktree uses its main worktree's root: memories must
 * survive the worktree's removal, and all worktrees are one project.
 */
export function findPlace(cwd: string): Place {
  const repository = findRepository(cwd)
  const inMain = (folder: string) => (repository === null ? folder : toMain(repository, folder))
  const folders = upward(inMain(cwd))
  const withStore = folders.find((folder) => existsSync(join(folder, STORE_FOLDER)))
  const configFile = nearestConfig(repository, cwd, folders)
  const withConfig = configFile === null ? undefined : inMain(dirname(configFile))
  const withProject = folders.find((folder) => folder === withConfig || folder === repository?.main)
  return { repository, root: withStore ?? withProject ?? cwd, configFile }
}

/** The same folder in the main worktree. A folder outside any worktree is returned unchanged. */
export function toMain({ root, main }: Repository, folder: string): string {
  const path = relative(root, folder)
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? folder : join(main, path)
}

/** A worktree's own configuration, which belongs to its branch, otherwise the main worktree's. */
function nearestConfig(repository: Repository | null, cwd: string, folders: readonly string[]): string | null {
  const linked = repository !== null && repository.root !== repository.main
  const own = linked ? upward(cwd).filter((folder) => toMain(repository, folder) !== folder) : []
  for (const folder of [...own, ...folders]) {
    const file = configIn(folder)
    if (file !== null) return file
  }
  return null
}

function upward(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upward(above)]
}

function configIn(folder: string): string | null {
  const found = CONFIG_FILES.map((name) => join(folder, name)).filter((path) => existsSync(path))
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest) && hasSettings(manifest)) found.push(manifest)
  if (found.length > 1) {
    throw configurationError(folder, '', `has more than one configuration (${found.join(', ')}): keep one of them`)
  }
  return found[0] ?? null
}

/** Parses a manifest only if its text contains the key: most have no settings of ours. */
function hasSettings(manifest: string): boolean {
  const text = readFileSync(manifest, 'utf8')
  if (!/"nokosu"\s*:\s*\{/.test(text)) return false
  try {
    const { nokosu }: { nokosu?: unknown } = JSON.parse(text)
    return nokosu !== undefined
  } catch (cause) {
    throw configurationError(manifest, '', `is not valid JSON: ${(cause as Error).message}`, cause)
  }
}
