import type { Note } from '../transfer/note.ts'
import { noteAt, type RepositoryFiles } from './repository-files.ts'

/** Files that specify a tool's version, with the tool's name. */
const FILES: readonly (readonly [path: string, version: RegExp, label: string])[] = [
  ['.nvmrc', /^v?(\d[\w.]*)/m, 'Node.js'],
  ['.node-version', /^v?(\d[\w.]*)/m, 'Node.js'],
  ['go.mod', /^go\s+([\d.]+)/m, 'Go'],
  ['pyproject.toml', /^requires-python\s*=\s*["']([^"']+)["']/m, 'Python'],
  ['.python-version', /^(\d[\w.]*)/m, 'Python'],
  ['rust-toolchain.toml', /^channel\s*=\s*["']([^"']+)["']/m, 'Rust'],
  ['Cargo.toml', /^rust-version\s*=\s*["']([^"']+)["']/m, 'Rust'],
  ['.ruby-version', /^(?:ruby-)?(\d[\w.]*)/m, 'Ruby'],
]

/** The versions of languages and runtimes that the repository requires. */
export function readToolVersions(files: RepositoryFiles): Note[] {
  const known = new Set<string>()
  return FILES.flatMap(([path, version, label]) => {
    const text = files.read(path)
    const match = text === null ? null : version.exec(text)
    if (text === null || match === null || known.has(label)) return []
    known.add(label)
    const line = text.slice(0, match.index).split('\n').length
    return noteAt(path, line, { text: `Needs ${label} ${match[1]}`, category: 'dependency' })
  })
}
