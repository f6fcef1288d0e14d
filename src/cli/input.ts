import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { MemoryError } from '../model/errors.ts'
import { LineSplitter } from '../text/lines.ts'
import { shell } from './shell.ts'

/** Larger than anything written by hand. A wrong file is refused without reading all of it. */
const MOST_BYTES = 4 << 20

/**
 * Opens a file named on the command line, or standard input for `-`. If it cannot be opened, the command fails, so this
 * happens before the store is opened.
 */
export async function openInput(file: string): Promise<Readable> {
  if (file === '-') return shell().stdin
  const path = resolve(shell().cwd, file)
  const handle = await open(path)
  if (!(await handle.stat()).isDirectory()) return handle.createReadStream({ highWaterMark: 1 << 18 })
  await handle.close()
  throw Object.assign(new Error('is a folder'), { code: 'EISDIR', path })
}

export async function readInput(file: string, mostBytes = MOST_BYTES): Promise<string> {
  const name = file === '-' ? 'standard input' : file
  const parts: Buffer[] = []
  let size = 0
  for await (const part of (await openInput(file)) as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size <= mostBytes) continue
    const details = { field: 'file', maxLength: mostBytes }
    throw new MemoryError('CONTENT_TOO_LONG', `The text in ${name} is too long: at most ${mostBytes} bytes.`, {
      details,
    })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (cause) {
    throw new MemoryError('INVALID_INPUT', `Not UTF-8 text: ${name}.`, { details: { field: 'file' }, cause })
  }
}

/** The text itself, or for `-` standard input without trailing line breaks. */
export async function readText(text: string): Promise<string> {
  return text === '-' ? (await readInput('-')).replace(/[\r\n]+$/, '') : text
}

export async function parseYaml(text: string, name: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return parse(text, { maxAliasCount: 0 })
  } catch (cause) {
    const [problem] = (cause as Error).message.split('\n', 1)
    const details = { field: 'file' }
    throw new MemoryError('INVALID_INPUT', `${name} cannot be read as JSON or YAML: ${problem}`, { details, cause })
  }
}

/**
 * The lines of an input. `node:readline` is not used: it also breaks lines at U+2028, which JSON may contain. An overlong line
 * is cut and later fails as JSON. The signal stops waiting for more input.
 */
export async function* readLines(input: Readable, signal: AbortSignal): AsyncGenerator<string> {
  addAbortSignal(signal, input)
  const splitter = new LineSplitter()
  for await (const chunk of input as AsyncIterable<Buffer>) {
    for (const line of splitter.push(chunk)) yield line.bytes.toString('utf8')
  }
  for (const line of splitter.end()) yield line.bytes.toString('utf8')
}
