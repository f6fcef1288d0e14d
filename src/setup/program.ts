import { accessSync, constants } from 'node:fs'
import { delimiter, join, sep } from 'node:path'

/** How clients start Nokosu. */
export interface Program {
  command: string
  args: readonly string[]
  /** Null if it is permanently on the PATH. */
  remark: string | null
}

/**
 * The shortest command that will still work tomorrow: the command on the PATH; for `npx nokosu`, which is only on the PATH while it
 * runs, npx again; for a checkout or a project's own installation, this very file.
 */
export function findProgram(packageRoot: string, env: Environment): Program {
  if (isOnPath('nokosu', env, isTemporary)) return { command: 'nokosu', args: [], remark: null }
  if (packageRoot.split(sep).includes('_npx')) {
    const remark =
      "Agents will start it with npx, about a second slower. To avoid that: 'npm install -g nokosu', then run setup again."
    return { command: 'npx', args: ['-y', 'nokosu'], remark }
  }
  const script = join(packageRoot, 'bin', 'nokosu.mjs')
  const remark = `'nokosu' is not on the PATH: agents will start ${script}, which must stay where it is.`
  return { command: process.execPath, args: [script], remark }
}

type Environment = Readonly<Record<string, string | undefined>>

export function isOnPath(name: string, { PATH = '' }: Environment, isLeftOut = (_: string) => false): boolean {
  const files = process.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name]
  const folders = PATH.split(delimiter).filter((folder) => folder !== '' && !isLeftOut(folder))
  return folders.some((folder) => files.some((file) => isExecutable(join(folder, file))))
}

/** npm and npx put such a folder on the PATH of what they run. */
function isTemporary(folder: string): boolean {
  return folder.replace(/[\\/]+$/, '').endsWith(join('node_modules', '.bin'))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
