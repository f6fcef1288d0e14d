import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { invalidInput, type MemoryError } from '../../model/errors.ts'
import { statIfThere } from './files.ts'

/** Names of files that agents read as instructions. Our block would break any other kind of file. */
const INSTRUCTIONS = /\.(?:md|mdc|markdown|txt)$|(?:^|[\\/])\.\w+(?:rules|hints)$/i

export function assertInstructionFile(name: string): void {
  if (INSTRUCTIONS.test(name)) return
  const known = 'such as CLAUDE.md, AGENTS.md, GEMINI.md or .cursorrules (.md, .mdc, .txt, .…rules)'
  throw unusable(name, `it is not an instructions file ${known}`)
}

/** The file behind a name in the workspace: follows a link that stays inside, such as one to AGENTS.md. */
export async function findTarget(workspace: string, name: string): Promise<string> {
  if (isAbsolute(name) || !isInside(workspace, join(workspace, name)))
    throw unusable(name, 'it is not in the workspace')
  const folder = await realFolder(workspace, dirname(name), name)
  const path = join(folder, basename(name))
  const present = await statIfThere(path)
  if (present === null || present.isFile()) return path
  if (!present.isSymbolicLink()) throw unusable(name, 'it is not a file')
  const target = await realpath(path).catch(() => null)
  if (target === null || !isInside(workspace, target)) throw unusable(name, 'it is a link out of the workspace')
  if (!(await statIfThere(target))?.isFile()) throw unusable(name, 'it is a link to a missing file')
  return target
}

/** The folder as it is, or will be. A link that leads outside would make us write into someone else's files. */
async function realFolder(workspace: string, folder: string, name: string): Promise<string> {
  let real = workspace
  for (const part of folder.split(/[\\/]/).filter((each) => each !== '.')) {
    const next = join(real, part)
    const present = await statIfThere(next)
    real = present?.isSymbolicLink() ? await realpath(next).catch(() => sep) : next
    if (!isInside(workspace, real)) throw unusable(name, `${part} is a link out of the workspace`)
    if (present && !(await statIfThere(real))?.isDirectory()) throw unusable(name, `${part} is not a folder`)
  }
  return real
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !way.split(sep).includes('.git')
}

export function unusable(name: string, why: string): MemoryError {
  return invalidInput('workspace', `Cannot write ${name} in the workspace: ${why}.`, { path: name })
}
