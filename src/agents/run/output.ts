import type { Readable, Writable } from 'node:stream'
import type { CaptureFormat } from '../../capture/capture.ts'
import { parseJson } from '../../text/json.ts'
import { claudeProgram } from './find-claude.ts'

/** Bytes of a first line that are looked at to tell what an output is. */
const MOST_FIRST_LINE = 1 << 20

/** What the command line says its output is; null when only the output itself can tell. */
export function formatOf(command: readonly string[]): CaptureFormat | null {
  const value = optionValue(command, '--output-format')
  // The single result of `json` is read by the same parser.
  if (value === 'stream-json' || value === 'json') return 'stream-json'
  return value === 'text' || claudeProgram(command) !== null ? 'text' : null
}

/** The value of an option, as `--name value` or `--name=value`. */
function optionValue(command: readonly string[], name: string): string | null {
  for (const [position, word] of command.entries()) {
    if (word === name) return command[position + 1] ?? null
    if (word.startsWith(`${name}=`)) return word.slice(name.length + 1)
  }
  return null
}

/**
 * Every chunk goes on to the caller as it is and at its pace, and is then handed out for reading. When the caller stops
 * listening the agent's output is closed, as the agent would have met it without us.
 */
export async function* passThrough(source: Readable, target: Writable): AsyncGenerator<Uint8Array> {
  let broken = false
  const stop = () => {
    broken = true
    source.destroy()
  }
  target.on('error', stop)
  try {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      if (broken) return
      if (!target.write(chunk)) await drained(target)
      yield chunk
    }
  } catch (error) {
    // Closing the source ourselves is no failure of it.
    if (!broken && (error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  } finally {
    target.off('error', stop)
    // What is still on its way may break as well; nobody is left to be told.
    target.on('error', () => {})
  }
}

function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      target.off('drain', done).off('error', done).off('close', done)
      resolve()
    }
    target.on('drain', done).on('error', done).on('close', done)
  })
}

/** Tells stream-json from plain text by the first line. What was read for that is read again. */
export async function detectFormat(
  source: AsyncIterable<Uint8Array>,
): Promise<{ format: CaptureFormat; source: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let bytes = 0
  let format: CaptureFormat | null = null
  while (format === null) {
    const { value, done } = await iterator.next()
    if (!done) {
      seen.push(value)
      bytes += value.length
    }
    format = decide(Buffer.concat(seen), done === true || bytes >= MOST_FIRST_LINE)
  }
  async function* again() {
    yield* seen.splice(0)
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { format, source: again() }
}

function decide(bytes: Buffer, complete: boolean): CaptureFormat | null {
  const text = bytes.toString('utf8').trimStart()
  if (text !== '' && !text.startsWith('{')) return 'text'
  const end = text.indexOf('\n')
  if (end < 0 && !complete) return null
  const parsed = parseJson(end < 0 ? text : text.slice(0, end))
  const event = parsed.ok ? (parsed.value as { type?: unknown }) : null
  return typeof event?.type === 'string' ? 'stream-json' : 'text'
}
