import { addAbortSignal, type Readable } from 'node:stream'
import { LineSplitter } from '../text/lines.ts'

/**
 * The lines of an input. `node:readline` is not used: it also breaks lines at U+2028, which JSON may contain. A line over the limit
 * is cut, and fails later as JSON. The signal ends the wait for more input.
 */
export async function* readLines(input: Readable, signal: AbortSignal): AsyncGenerator<string> {
  addAbortSignal(signal, input)
  const splitter = new LineSplitter()
  for await (const chunk of input as AsyncIterable<Buffer>) {
    for (const line of splitter.push(chunk)) yield line.bytes.toString('utf8')
  }
  for (const line of splitter.end()) yield line.bytes.toString('utf8')
}
