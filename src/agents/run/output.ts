import type { Readable, Writable } from 'node:stream'
import type { OutputFormat } from '../../capture/read-output.ts'

/** What a command prints: as its own flag says, else as its output shows. */
export function formatOf(command: readonly string[]): OutputFormat {
  const value = optionValue(command, '--output-format')
  // The single result of `json` is read by the same parser.
  if (value === 'stream-json' || value === 'json') return 'stream-json'
  return value === 'text' ? 'text' : 'output'
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
