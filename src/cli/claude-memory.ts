import { readdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import type { Config } from '../config/load-config.ts'
import { invalidInput } from '../model/errors.ts'
import { shell } from './shell.ts'

const INDEX = 'MEMORY.md'
const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/
/** A line of the index that only names a file of notes. */
const POINTER = /\]\([^)]*\.md\)/

export async function readClaudeMemory({ root }: Pick<Config, 'root'>): Promise<string> {
  const { env, cwd } = shell()
  const home = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude')
  const folders = [...new Set([root, cwd])].map((path) =>
    join(home, 'projects', path.replace(/[^A-Za-z0-9]/g, '-'), 'memory'),
  )
  for (const folder of folders) {
    // Where there is no folder, Claude Code has noted nothing.
    const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.md')).sort()
    if (files.length === 0) continue
    const texts = await Promise.all(files.map(async (name) => toList(name, await readFile(join(folder, name), 'utf8'))))
    return texts.join('\n')
  }
  throw invalidInput('file', `Claude Code has no notes of this project: there is no ${folders.join(' and no ')}.`)
}

function toList(name: string, text: string): string {
  const [front = '', fields = ''] = FRONT_MATTER.exec(text) ?? []
  const body = text.slice(front.length)
  const described = /^description:\s*(.+)$/m.exec(fields)?.[1]
  const notes = body
    .split(/\r?\n\s*\r?\n/)
    .flatMap((block) => (ITEM.test(block) ? block.split(/\r?\n(?=\s*(?:[-*+]|\d+[.)])\s)/) : block))
    .filter((block) => !/^\s*(?:#|```|\|)/.test(block) && !(name === INDEX && POINTER.test(block)))
    .map((block) => block.replace(ITEM, '').replace(/\s+/g, ' ').trim())
    .filter((block) => block !== '')
  const all = notes.length > 0 ? notes : described === undefined ? [] : [described]
  return [`# ${basename(name, '.md')}`, '', ...all.map((note) => `- ${note}`), ''].join('\n')
}
