import type { Moment, MomentKind } from '../../model/moment.ts'
import { endsOf } from './ends-of.ts'
import { type ShellCommand, splitCommands } from './shell-words.ts'

/** A moment, parsed for recall. */
export interface Scene {
  kind: MomentKind
  /** The tool in use; null for a prompt or a task. */
  tool: string | null
  /** The event as one text. */
  text: string
  /** Its parts, each possibly the important one: commands, sentences of a prompt, lines of an output. */
  segments: string[]
  /** The commands about to run, or that ran. */
  commands: ShellCommand[]
  /** The files and folders the tool uses. */
  paths: string[]
}

/** Characters read per text; of longer texts the beginning and the end, where errors are. */
const MOST_READ = 4000
/**
 * Characters of tool output used as a whole. More adds little and is slower to compare; each line is also a separate
 * part.
 */
const MOST_SAID = 600
const MOST_SEGMENTS = 24
/** A shorter piece of a prompt is not a separate part. */
const SHORT = 12
/** ANSI escape sequences. */
const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-_])/g
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F]/g

export function readScene(moment: Moment): Scene {
  switch (moment.kind) {
    case 'prompt':
      return spoken(moment.kind, clean(moment.text))
    case 'task':
      return spoken(moment.kind, clean([moment.title, moment.description ?? ''].join('\n')))
    case 'tool': {
      const use = readUse(moment.name, moment.input)
      return { kind: 'tool', ...use }
    }
    case 'failure':
    case 'output': {
      const use = readUse(moment.name ?? null, moment.input)
      const whole = moment.kind === 'failure' ? moment.error : moment.text
      const said = clean(whole)
      return { ...use, kind: moment.kind, text: shorten(said, MOST_SAID), segments: tellingLines(whole, said) }
    }
  }
}

function spoken(kind: MomentKind, text: string): Scene {
  const sentences = text.split(/(?<=[.!?:;])\s+|\n+|,\s+(?=and |then |also |but )/)
  return {
    kind,
    tool: null,
    text,
    segments: unique(sentences.filter(({ length }) => length >= SHORT)),
    commands: [],
    paths: [],
  }
}

type Use = Pick<Scene, 'tool' | 'text' | 'segments' | 'commands' | 'paths'>

/** Tool input keys for locations, and those for commands. */
const PATHS = new Set(['file_path', 'path', 'notebook_path', 'filename', 'file', 'directory', 'cwd'])
const COMMANDS = new Set(['command', 'cmd', 'script'])
/** Keys that say nothing about the work. */
const IGNORED = new Set(['description', 'timeout', 'run_in_background', 'replace_all', 'output_mode'])

function readUse(tool: string | null, input: unknown): Use {
  const fields = typeof input === 'string' ? [['command', input] as const] : stringsIn(input)
  const commands: ShellCommand[] = []
  const paths: string[] = []
  const texts: string[] = []
  const segments: string[] = []
  for (const [key, value] of fields) {
    const text = clean(value)
    if (text === '' || IGNORED.has(key)) continue
    texts.push(text)
    if (COMMANDS.has(key)) {
      const found = splitCommands(text)
      commands.push(...found)
      segments.push(...found.filter(({ inner }) => !inner).map((command) => command.text))
    } else if (PATHS.has(key)) {
      paths.push(text)
      segments.push(text)
    } else {
      segments.push(...text.split('\n'))
    }
  }
  // The name of an MCP tool says what it does; for an agent's own tools the input does.
  const named = tool?.startsWith('mcp__') ? [tool.slice('mcp__'.length).replaceAll(/_+/g, ' ')] : []
  return {
    tool,
    text: [...named, ...texts].join('\n'),
    segments: unique([...named, ...segments]),
    commands,
    paths,
  }
}

const DEEPEST = 4
const MOST_STRINGS = 64

/**
 * The strings in a tool's input, each with its key. The old text of an edit comes last, because the new text says more.
 */
function stringsIn(input: unknown): (readonly [string, string])[] {
  const found: (readonly [string, string])[] = []
  const walk = (value: unknown, key: string, depth: number): void => {
    if (found.length >= MOST_STRINGS || depth > DEEPEST) return
    if (typeof value === 'string') found.push([key, value])
    else if (typeof value === 'number') found.push([key, String(value)])
    else if (Array.isArray(value)) for (const item of value) walk(item, key, depth + 1)
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) walk(item, name, depth + 1)
  }
  walk(input, '', 0)
  const old = found.filter(([key]) => key.startsWith('old_'))
  return [...found.filter(([key]) => !key.startsWith('old_')), ...old]
}

function clean(text: string): string {
  return shorten(text, MOST_READ).toWellFormed().replace(ANSI, '').replace(CONTROL, ' ').trim()
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most / 2)}\n${text.slice(-most / 2)}`.toWellFormed()
}

function unique(segments: readonly string[]): string[] {
  return endsOf(distinct(segments), MOST_SEGMENTS)
}

function distinct(segments: readonly string[]): string[] {
  const trimmed = segments.map((segment) => segment.trim()).filter((segment) => segment !== '')
  return [...new Set(trimmed)]
}

const FAILURE = /(?:error|exception)s?\b|\b(?:fail(?:ed|ure|s)?|fatal|panic|denied|refused|cannot|timed out)\b/i
/** `ECONNREFUSED`, `ERR_SOCKET_STALL`. */
const CODE = /\bE[A-Z_]{4,}/
const MOST_FAILURES = 8

/** The lines of an output: all of a short one; of a long one its ends, and the first lines between them that report a failure. */
function tellingLines(whole: string, said: string): string[] {
  const lines = distinct(said.split('\n'))
  if (whole.length <= MOST_READ && lines.length <= MOST_SEGMENTS) return lines
  const ends = endsOf(lines, MOST_SEGMENTS - MOST_FAILURES)
  const failures: string[] = []
  for (const line of linesOf(whole)) {
    if (failures.length === MOST_FAILURES) break
    if (!FAILURE.test(line) && !CODE.test(line)) continue
    const told = clean(line)
    if (told !== '' && !ends.includes(told) && !failures.includes(told)) failures.push(told)
  }
  if (failures.length === 0) return endsOf(lines, MOST_SEGMENTS)
  const half = Math.ceil(ends.length / 2)
  return [...ends.slice(0, half), ...failures, ...ends.slice(half)]
}

/** One by one: an output may have a million. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    yield text.slice(start, end === -1 ? text.length : end)
    if (end === -1) return
    start = end + 1
  }
}
