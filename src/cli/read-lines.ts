import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { LineSplitter } from '../text/lines.ts'
import { shell } from './shell.ts'

/**
 * The lines of a file, or of standard input for `-`. `node:readline` is not used: it also breaks lines at U+2028, which JSON
 * may contain. A line over the limit is cut, and fails later as JSON. The signal ends the wait for more input.
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
