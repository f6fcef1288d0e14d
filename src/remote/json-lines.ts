import { parseJson } from '../text/json.ts'
import { LineSplitter } from '../text/lines.ts'
import { escapeJson } from '../text/unseen.ts'

/** More than a request or an answer ever takes. */
const MOST_LINE_BYTES = 64 << 20

/**
 * The JSON values of a stream, one a line; a line that is not JSON is left out. Lines end with a line feed and with nothing
 * else: the line separators of Unicode are ordinary text in JSON.
 */
export async function* readJsonLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const splitter = new LineSplitter(MOST_LINE_BYTES)
  for await (const chunk of source) {
    for (const { bytes } of splitter.push(chunk)) {
      const parsed = parseJson(bytes.toString('utf8'))
      if (parsed.ok) yield parsed.value
    }
  }
}

/** Somebody may look at a spool or a stream: nothing in it acts on a terminal. */
export function toJsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value))}\n`
}
