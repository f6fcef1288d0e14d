import { parseJson } from '../text/json.ts'
import { LineSplitter } from '../text/lines.ts'
import { escapeJson } from '../text/unseen.ts'

/** Larger than any request or answer. */
const MOST_LINE_BYTES = 64 << 20

/**
 * The JSON values of a stream, one per line; other lines are skipped. Only a line feed ends a line:
 * Unicode's line separators are ordinary text in JSON.
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

/** A person may look at a spool or a stream, so terminal control sequences are escaped. */
export function toJsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value))}\n`
}
