import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { stopSignal } from '../interruption.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { printJson, printLine, write } from '../output.ts'
import { showProgress } from '../progress.ts'

interface Options extends GlobalOptions {
  vectors: boolean
}

/** Characters gathered before each write. */
const PART = 1 << 18

/** `nokosu export` */
export function configure(command: Command): void {
  command
    .argument('[file]', "where to write; standard output without it, or for '-'")
    .option('--no-vectors', 'a smaller file; the import then needs nokosu reembed')
    .addHelpText(
      'after',
      `
Everything is in it: memories, their history, sessions and what they were shown, events, personalities and the directory,
one JSON object a line.

Examples:
  nokosu export backup.jsonl
  nokosu export --no-vectors | gzip > backup.jsonl.gz`,
    )
    .action(exportAll)
}

async function exportAll(file: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { exportStore } = await import('../../transfer/export.ts')
  const progress = showProgress('Exporting')
  const signal = stopSignal()
  await withEngine(options, 'read', async (engine) => {
    const lines = exportStore(engine, { vectors: options.vectors, onProgress: progress.update })
    try {
      if (file === undefined || file === '-') {
        await copy(lines, write, signal)
        return
      }
      const count = await writeWhole(file, lines, signal)
      progress.end()
      if (options.json) return await printJson({ file, lines: count })
      await printLine(`Wrote ${count} lines to ${file}.`)
    } finally {
      progress.end()
    }
  })
}

async function copy(
  lines: AsyncIterable<string>,
  put: (text: string) => Promise<unknown>,
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  let part = ''
  for await (const line of lines) {
    signal.throwIfAborted()
    part += `${line}\n`
    count++
    if (part.length < PART) continue
    await put(part)
    part = ''
  }
  if (part !== '') await put(part)
  return count
}

/** The file appears whole or not at all, so that a stopped export never replaces a good one. */
async function writeWhole(file: string, lines: AsyncIterable<string>, signal: AbortSignal): Promise<number> {
  const unfinished = `${file}.${process.pid}.part`
  // Memories can be private: only their owner may read them.
  const handle: FileHandle = await open(unfinished, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw Object.assign(error, { path: file })
  })
  try {
    const count = await copy(lines, (text) => handle.write(text), signal)
    await handle.sync()
    await handle.close()
    await rename(unfinished, file)
    return count
  } catch (error) {
    await handle.close()
    await rm(unfinished, { force: true })
    throw Object.assign(error as Error, { path: file })
  }
}
