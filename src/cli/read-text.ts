import { MemoryError } from '../model/errors.ts'
import { shell } from './shell.ts'

/** More than any memory may have. A wrong file is refused without reading all of it. */
const MOST_BYTES = 1 << 20

/** Returns the text, or for `-` what standard input holds, without line breaks at its end. */
export async function readText(text: string): Promise<string> {
  if (text !== '-') return text
  const parts: Buffer[] = []
  let size = 0
  for await (const part of shell().stdin as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size > MOST_BYTES) break
  }
  if (size > MOST_BYTES) {
    throw new MemoryError('CONTENT_TOO_LONG', `Standard input holds more than ${MOST_BYTES} bytes.`, {
      details: { field: 'content', maxLength: MOST_BYTES },
    })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)).replace(/[\r\n]+$/, '')
  } catch {
    throw new MemoryError('INVALID_INPUT', 'Invalid content: standard input is not UTF-8 text.', {
      details: { field: 'content' },
    })
  }
}
