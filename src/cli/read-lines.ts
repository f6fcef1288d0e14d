import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { LineSplitter } from '../text/lines.ts'
import { shell } from './shell.ts'

/**
 * A file's lines, or those of standard input for `-`. Not `node:readline`, which breaks lines at U+2028 too, and JSON may
 * hold that. A line over the limit comes shortened, and fails as JSON where it is read. The signal ends waiting for more.
 */
export async function* readLines(file: string, signal: AbortSignal): AsyncGenerator<string> {
  const input = file === '-' ? shell().stdin : createReadStream(resolve(shell().cwd, file), { highWaterMark: 1 << 18 })
  addAbortSignal(signal, input)
  const splitter = new LineSplitter()
  for await (const chunk of input as AsyncIterable<Buffer>) {
    for (const line of splitter.push(chunk)) yield line.bytes.toString('utf8')
  }
  for (const line of splitter.end()) yield line.bytes.toString('utf8')
}
