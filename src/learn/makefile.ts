import type { Note } from '../transfer/note.ts'
import { noteAt, type RepositoryFiles, shortCode } from './repository-files.ts'

const RULE = /^([A-Za-z0-9][\w./-]*)\s*:(?![:=])\s*([^#=]*?)\s*(?:##?\s*(\S.*))?$/
const COMMENT = /^#+\s*(\S.*)$/
const MOST = 6

/** The targets of a Makefile with a description or prerequisites. */
export function readMakefile(files: RepositoryFiles): Note[] {
  const path = ['Makefile', 'makefile', 'GNUmakefile'].find((name) => files.has(name))
  if (path === undefined) return []
  const lines = files.read(path)!.split(/\r?\n/)
  const targets = new Set(lines.flatMap((line) => RULE.exec(line)?.[1] ?? []))
  const notes = lines.flatMap((line, i) => {
    const [, name = '', needs = '', own] = RULE.exec(line) ?? []
    if (name === '') return []
    const above = COMMENT.exec(lines[i - 1] ?? '')?.[1]
    const about = own ?? above
    const first = needs.split(/\s+/).filter((each) => targets.has(each))
    if (about === undefined && first.length === 0) return []
    const after = first.length === 0 ? '' : ` first runs ${first.map((each) => `\`${each}\``).join(', ')}`
    const tells = about === undefined ? '' : `${after === '' ? '' : ';'} ${shortCode(about, 160)}`
    const text = after === '' ? `\`make ${name}\`:${tells}` : `\`make ${name}\`${after}${tells}`
    return noteAt(path, i + 1, { text, ...(after === '' ? {} : { category: 'dependency' as const }) })
  })
  return notes.slice(0, MOST)
}
