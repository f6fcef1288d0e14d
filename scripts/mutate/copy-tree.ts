import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
/** Too large to copy, and never changed. */
const LINKED = ['node_modules', 'models', 'train', 'examples/node_modules', '.cache']
const LEFT_OUT = new Set(['node_modules', 'models', 'train', 'results'])

/** A copy of the working tree in a temporary folder. */
export function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-mutants-'))
  // Some tests run a program as another user.
  chmodSync(folder, 0o755)
  for (const name of readdirSync(root)) {
    if (name.startsWith('.') || LEFT_OUT.has(name)) continue
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) })
  }
  for (const name of LINKED) {
    if (existsSync(join(root, name))) symlinkSync(join(root, name), join(folder, name))
  }
  return folder
}
