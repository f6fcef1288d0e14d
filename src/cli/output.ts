import { randomBytes } from 'node:crypto'
import { escapeTerminal } from '../guard/escape.ts'
import { isRecord, parseJson } from '../text/json.ts'
import { escapeJson } from '../text/unseen.ts'
import { wrapTo } from './display-width.ts'
import { type Output, shell } from './shell.ts'

/**
 * The only writer to standard output and standard error. It escapes all text for terminals: only `paint` can change a colour,
 * not a memory, a file name or an error message.
 */

const CODES = {
  ...{ bold: ['1', '22'], dim: ['2', '22'], red: ['31', '39'], green: ['32', '39'], yellow: ['33', '39'] },
  // Also readable without seeing red and green.
  ...{ cyan: ['36', '39'], removed: ['9;31', '29;39'], added: ['4;32', '24;39'] },
} as const
export type Style = keyof typeof CODES

/** Marks the codes made by `paint` until they are written. Random, so stored text cannot contain it. */
let marked: { mark: string; painted: RegExp } | null = null

function createMark(): { mark: string; painted: RegExp } {
  const mark = `\u001B${randomBytes(12).toString('hex')}`
  return { mark, painted: new RegExp(`${mark}\\[([\\d;]+)m`) }
}

export function usesColour(stream: Output): boolean {
  const { env } = shell()
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}

/** Colours text if the stream is a terminal that supports it. The text is escaped when it is written. */
export function paint(style: Style, text: string, stream: Output = shell().stdout): string {
  const [on, off] = CODES[style]
  if (!usesColour(stream)) return text
  marked ??= createMark()
  return `${marked.mark}[${on}m${text}${marked.mark}[${off}m`
}

export function toTerminalText(text: string): string {
  const parts = marked === null ? [text] : text.split(marked.painted)
  return parts
    .map((part, i) =>
      i % 2 === 1
        ? `\u001B[${part}m`
        : part
            .split(/([\n\t])/)
            .map(escapePiece)
            .join(''),
    )
    .join('')
}

function escapePiece(piece: string, i: number): string {
  return i % 2 === 1 ? piece : escapeTerminal(piece)
}

/** Waits if the reader is slow. */
async function put(stream: Output, text: string): Promise<void> {
  if (!stream.write(text)) await new Promise((resolve) => stream.once('drain', resolve))
}

/** Writes text to standard output. */
export async function write(text: string): Promise<void> {
  await put(shell().stdout, toTerminalText(text))
}

export async function printLine(text = ''): Promise<void> {
  await write(`${text}\n`)
}

/** Writes text to standard error. */
export function writeError(text: string): void {
  shell().stderr.write(toTerminalText(text))
}

export function redrawLine(text: string): void {
  shell().stderr.write(`\r\u001B[K${toTerminalText(text)}`)
}

/** Resolves when all standard output so far has been written, or its reader is gone. */
export async function flush(): Promise<void> {
  const { stdout } = shell()
  if (!stdout.destroyed) await new Promise<void>((resolve) => stdout.write('', () => resolve()))
}

/** A remark for people. It is not part of the result, so it goes to standard error. */
export function note(text: string): void {
  const { stderr } = shell()
  writeError(`${paint('dim', fitTo(stderr, text), stderr)}\n`)
}

/** Reports an empty result and what to do about it; a missing store was already reported. */
export function noteEmpty(text: string): void {
  if (!shell().storeMissing) note(text)
}

export function fitTo(stream: Output, text: string, indent = ''): string {
  return stream.isTTY ? wrapTo(text, stream.columns ?? 80, indent) : text
}

/** One JSON value, indented so that people and line tools can read it too. Escaping does not change the value. */
export function toJson(value: unknown): string {
  return escapeJson(JSON.stringify(value, null, 2))
}

export async function printJson(value: unknown): Promise<void> {
  await writeJson(`${toJson(value)}\n`)
}

export async function writeJson(text: string): Promise<void> {
  await put(shell().stdout, escapeJson(text))
}

export function writeJsonError(text: string): void {
  shell().stderr.write(escapeJson(text))
}

/** A log line: unchanged for programs, in words on a terminal. */
export function writeLog(line: string): void {
  const { stderr } = shell()
  const entry = stderr.isTTY ? parseJson(line) : null
  const text = entry?.ok && isRecord(entry.value) ? entry.value.msg : null
  if (typeof text === 'string') note(text)
  else writeJsonError(line)
}

/** `1 memory`, `1,200 memories`. */
export function countOf(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
