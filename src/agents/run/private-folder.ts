import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { homedir, hostname, tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'

/** A folder outside the workspace that only this user can read, for the duration of a run. */
export interface PrivateFolder {
  path: string
  /** Processes of other runs in the same workspace. */
  neighbours(): Promise<number[]>
  remove(): Promise<void>
}

const HOST = hostname().replace(/[^A-Za-z0-9.]/g, '_')
const NAME = /^nokosu-run-([A-Za-z0-9._]+)-(\d+)-\w{6}$/
/** Processes on other machines cannot be checked, so their folders are kept this long. */
const UNSEEN_MS = 24 * 3600 * 1000

export async function createPrivateFolder(workspace: string): Promise<PrivateFolder> {
  const places = [tmpdir(), homedir()]
  const place = places.find((path) => !contains(workspace, path)) ?? tmpdir()
  const path = await mkdtemp(join(place, `nokosu-run-${HOST}-${process.pid}-`))
  const real = await realpath(workspace).catch(() => workspace)
  await writeFile(join(path, 'workspace'), real, { mode: 0o600 })
  return {
    path,
    neighbours: () => neighboursOf(place, path, real),
    async remove() {
      await rm(path, { recursive: true, force: true })
      await sweep(place)
    },
  }
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`))
}

async function neighboursOf(place: string, own: string, workspace: string): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir(place)) {
    const [, host, pid] = NAME.exec(name) ?? []
    if (host !== HOST || join(place, name) === own || !isRunning(Number(pid))) continue
    const where = await readFile(join(place, name, 'workspace'), 'utf8').catch(() => null)
    if (where === workspace) found.push(Number(pid))
  }
  return found
}

/** Removes leftovers of killed runs. */
async function sweep(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const [, host, pid] = NAME.exec(name) ?? []
    if (host === undefined) continue
    const path = join(place, name)
    const found = await stat(path).catch(() => null)
    if (found === null || (process.getuid !== undefined && found.uid !== process.getuid())) continue
    const isLeft = Date.now() - found.mtimeMs > UNSEEN_MS || (host === HOST && !isRunning(Number(pid)))
    if (isLeft) await rm(path, { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
