import { isRecord, parseJson } from '../text/json.ts'
import type { Note } from '../transfer/note.ts'
import { escapeRegExp, lineOf, noteAt, type RepositoryFiles, shortCode } from './repository-files.ts'

const FILE = 'package.json'
const LOCKS = { 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun' }
/** Scripts that people and agents start by hand, the most useful first. */
const STARTED = [
  /^test$/,
  /^(?:check|lint|typecheck|type-check)$/,
  /^build$/,
  /^(?:test|e2e)(?!.*watch)[:-]?\w*$/,
  /^(?:db|migrat|seed|generate|codegen)[\w:-]*$/,
  /^(?:dev|start|serve)$/,
]
const MOST_SCRIPTS = 6
/** A script that only starts one program says nothing. */
const PLAIN = /^(?:\S+|(?:node|tsx|bun|deno run|python3?|sh|bash)\s+\S+)$/

/** Facts from `package.json`: tools, and scripts that do more than their name says. */
export function readPackage(files: RepositoryFiles): Note[] {
  const text = files.read(FILE)
  const parsed = text === null ? null : parseJson(text)
  if (text === null || !parsed?.ok || !isRecord(parsed.value)) return []
  const pkg = parsed.value
  const manager = managerOf(pkg, files)
  const at = (key: string) => lineOf(text, new RegExp(`^\\s*"${escapeRegExp(key)}"\\s*:`))
  const notes: Note[] = []
  const say = (key: string, said: string) =>
    notes.push(noteAt(FILE, at(key), { text: said, category: 'dependency', service: null }))
  const engines = isRecord(pkg.engines) ? pkg.engines : {}
  for (const [name, label] of Object.entries({ node: 'Node.js', bun: 'Bun', deno: 'Deno' })) {
    if (typeof engines[name] === 'string' && engines[name] !== '*') say('engines', `Needs ${label} ${engines[name]}`)
  }
  if (typeof pkg.packageManager === 'string') {
    say('packageManager', `Packages are installed with ${pkg.packageManager.split('+')[0]!.replace('@', ' ')}`)
  } else if (manager !== 'npm') {
    const lock = Object.keys(LOCKS).find((name) => files.has(name))!
    notes.push(
      noteAt(lock, 1, { text: `Packages are installed with ${manager}, not npm (${lock})`, category: 'dependency' }),
    )
  }
  const scripts = isRecord(pkg.scripts) ? pkg.scripts : {}
  return [...notes, ...readScripts(scripts, manager, at)]
}

function managerOf(pkg: Record<string, unknown>, files: RepositoryFiles): string {
  const named = typeof pkg.packageManager === 'string' ? pkg.packageManager.split('@')[0]! : null
  const lock = Object.entries(LOCKS).find(([name]) => files.has(name))
  return named ?? lock?.[1] ?? 'npm'
}

function readScripts(scripts: Record<string, unknown>, manager: string, at: (key: string) => number): Note[] {
  const commands = Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const ranked = STARTED.flatMap((pattern) => commands.filter(([name]) => pattern.test(name)))
  const started = [...new Map(ranked)].filter(([, command]) => !PLAIN.test(command.trim()))
  const notes = started.slice(0, MOST_SCRIPTS).map(([name, command]) => {
    const before = scripts[`pre${name}`]
    const first = typeof before === 'string' ? `, after \`${shortCode(before, 80)}\`` : ''
    return noteAt(FILE, at(name), { text: `${callOf(manager, name)} runs \`${shortCode(command)}\`${first}` })
  })
  const packing = commands.find(([name]) => name === 'prepack' || name === 'prepublishOnly' || name === 'prepare')
  if (packing === undefined || PLAIN.test(packing[1].trim())) return notes
  const [name, command] = packing
  const when = { prepack: 'Before packing', prepublishOnly: 'Before publishing', prepare: 'After installing' }[name]
  return [...notes, noteAt(FILE, at(name), { text: `${when}, ${manager} runs \`${shortCode(command)}\` by itself` })]
}

function callOf(manager: string, name: string): string {
  const bare = manager === 'npm' ? name === 'test' || name === 'start' : manager !== 'bun'
  return `\`${manager} ${bare ? '' : 'run '}${name}\``
}
