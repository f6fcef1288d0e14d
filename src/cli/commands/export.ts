import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { defineCommand } from '../command.ts'
import { readClaim } from '../identifiers.ts'
import { stopSignal } from '../interruption.ts'
import { withEngine } from '../open-engine.ts'
import { printJson, printLine, writeJson } from '../output.ts'
import { showProgress } from '../progress.ts'
import { shell } from '../shell.ts'

const PART = 1 << 18

export const { configure } = defineCommand({
  arguments: [['[file]', "the file to write (default: standard output, as for '-')"]],
  identifiers: 'claim',
  options: {
    '--no-vectors': 'leave out the vectors: a smaller file that needs nokosu reembed after the import',
    '--tokens': 'with --all: include access tokens (their hashes), so that they work after a restore',
  },
  help: `
Writes memories with their history, sessions and what they were shown, and events, one JSON object per line. With --all it writes
the whole store, with personalities and the directory: a backup. --tokens adds the hashes of access tokens, from which no token
can be computed.

Examples:
  nokosu export --all --tokens backup.jsonl
  nokosu export --project shop --no-vectors | gzip > shop.jsonl.gz`,
  async run(options, file = '-') {
    const progress = showProgress('Exporting')
    const signal = stopSignal()
    await withEngine(options, 'read', async (engine, config) => {
      const claim = readClaim(options, config)
      const lines = engine.export({
        ...claim,
        vectors: options.vectors,
        tokens: options.tokens === true,
        onProgress: progress.update,
      })
      try {
        if (file === '-') return void (await copy(lines, writeJson, signal))
        const count = await writeWhole(resolve(shell().cwd, file), lines, signal)
        progress.end()
        await (options.json ? printJson({ file, lines: count }) : printLine(`Wrote ${count} lines to ${file}.`))
      } finally {
        progress.end()
      }
    })
  },
})

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

/** Writes the file completely or not at all, so that an interrupted export never replaces a good one. */
async function writeWhole(file: string, lines: AsyncIterable<string>, signal: AbortSignal): Promise<number> {
  const unfinished = `${file}.${process.pid}.part`
  // Memories can be private, so only the owner may read the file.
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
