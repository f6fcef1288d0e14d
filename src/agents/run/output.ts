import type { Readable, Writable } from 'node:stream'
import type { OutputFormat } from '../../capture/read-output.ts'

/** The format of a command's output: from its own flag, otherwise from the output itself. */
export function formatOf(command: readonly string[]): OutputFormat {
  const value = optionValue(command, '--output-format')
  // The same parser reads the single result of `json`.
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
 * Passes every chunk on unchanged and at its own pace, then hands it out for reading. If the caller stops
 * reading, the agent's output is closed, as it would be without us.
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
    // Closing the source ourselves is not a failure.
    if (!broken && (error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  } finally {
    target.off('error', stop)
    // Data still in transit may fail as well, but there is no reader left to tell.
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
