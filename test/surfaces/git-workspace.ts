import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'

export { scratchFolder as scratch } from '../fixtures/scratch-folder.ts'

/** Git without the settings of the machine that runs the tests. */
export function git(folder: string, ...args: string[]): string {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: tmpdir(),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b.c',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b.c',
  }
  return execFileSync('git', ['-C', folder, ...args], { env, encoding: 'utf8', stdio: 'pipe' })
}

/** Everything in a folder except .git: content, mode, time and link of each file. */
export function snapshot(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (path: string): void => {
    const stats = lstatSync(path)
    const name = relative(folder, path)
    if (stats.isSymbolicLink()) found[name] = `link ${readlinkSync(path)}`
    else if (stats.isDirectory()) {
      found[`${name}/`] = 'folder'
      for (const entry of readdirSync(path)) if (entry !== '.git') visit(join(path, entry))
    } else found[name] = `${stats.mode.toString(8)} ${stats.mtimeMs} ${readFileSync(path, 'latin1')}`
  }
  visit(folder)
  return found
}

/** Git's own state: configuration, ignores, filters and our hook. */
export function settings(repository: string): Record<string, string> {
  const common = realpathSync(resolve(repository, git(repository, 'rev-parse', '--git-common-dir').trim()))
  const read = (name: string) => {
    try {
      return readFileSync(join(common, name), 'utf8')
    } catch {
      return ''
    }
  }
  const told = { config: read('config'), exclude: read('info/exclude'), attributes: read('info/attributes') }
  return { ...told, hook: read('hooks/post-index-change') }
}
