import { readdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { FenceTracker, splitLines } from '../capture/fence.ts'
import type { Config } from '../config/load-config.ts'
import { invalidInput } from '../model/errors.ts'
import { shell } from './shell.ts'

const INDEX = 'MEMORY.md'
const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/
/** A line of the index that only names a notes file. */
const POINTER = /\]\([^)]*\.md\)/

export async function readClaudeMemory({ root }: Pick<Config, 'root'>): Promise<string> {
  const { env, cwd } = shell()
  const home = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude')
  const folders = [...new Set([root, cwd])].map((path) =>
    join(home, 'projects', path.replace(/[^A-Za-z0-9]/g, '-'), 'memory'),
  )
  for (const folder of folders) {
    // Without the folder, Claude Code has no notes.
    const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.md')).sort()
    if (files.length === 0) continue
    const texts = await Promise.all(files.map(async (name) => toList(name, await readFile(join(folder, name), 'utf8'))))
    return texts.join('\n')
  }
  throw invalidInput('file', `Claude Code has no notes about this project: there is no ${folders.join(' and no ')}.`)
}

/** Notes about the user are personal: what is imported here is visible to everyone on the project. */
const PERSONAL = /^\s*type:\s*['"]?user\b/m
/** Claude Code's continuation of a note, meaningless without it. */
const CONTINUES = /^\*\*(?:Why|How to apply):?\*\*/i
const NO_NOTE = /^\s*(?:#|\|)/

function toList(name: string, text: string): string {
  const [front = '', fields = ''] = FRONT_MATTER.exec(text) ?? []
  if (PERSONAL.test(fields)) return ''
  const described = /^description:\s*(.+)$/m.exec(fields)?.[1]
  const notes = notesOf(text.slice(front.length)).filter((note) => !(name === INDEX && POINTER.test(note)))
  const all = notes.length > 0 ? notes : described === undefined ? [] : [described]
  return [`# ${basename(name, '.md')}`, '', ...all.map((note) => `- ${note}`), ''].join('\n')
}

/** The list items and paragraphs of a file, each on one line, without headings, tables and code. */
function notesOf(text: string): string[] {
  const notes: string[] = []
  const fence = new FenceTracker()
  let isOpen = false
  for (const line of splitLines(text)) {
    const isNote = !fence.isCode(line) && line.trim() !== '' && !NO_NOTE.test(line)
    const goesOn = (isOpen && !ITEM.test(line)) || (CONTINUES.test(line) && notes.length > 0)
    if (isNote && goesOn) notes.push(`${notes.pop()} ${line.trim()}`)
    else if (isNote) notes.push(line.replace(ITEM, '').trim())
    isOpen = isNote
  }
  return notes.map((note) => note.replace(/\s+/g, ' '))
}
