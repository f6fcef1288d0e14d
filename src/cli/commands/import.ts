import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { escapeTerminal } from '../../guard/escape.ts'
import { MemoryError } from '../../model/errors.ts'
import type { ImportReport } from '../../transfer/import.ts'
import { stopSignal } from '../interruption.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { showProgress } from '../progress.ts'
import { readLines } from '../read-lines.ts'

/** `nokosu import` */
export function configure(command: Command): void {
  command
    .argument('<file>', "an export, or '-' for standard input")
    .addHelpText(
      'after',
      `
Nothing that is there is overwritten, so an import may be stopped and run again. A line that cannot be read is reported,
the others are imported, and the exit code is 1.

Examples:
  nokosu import backup.jsonl
  gunzip -c backup.jsonl.gz | nokosu import -`,
    )
    .action(importAll)
}

async function importAll(file: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>()
  if (file !== '-' && !existsSync(file)) {
    // Before the store is opened: a mistyped name should not create an empty one.
    throw new MemoryError('INVALID_INPUT', `There is no file ${file}.`, { details: { field: 'file' } })
  }
  const { importStore } = await import('../../transfer/import.ts')
  const progress = showProgress('Importing lines')
  const signal = stopSignal()
  try {
    const report = await withEngine(options, 'write', (engine) =>
      importStore(engine, readLines(file, signal), { signal, onProgress: (lines) => progress.update(lines, null) }),
    )
    progress.end()
    if (report.bad.length > 0) process.exitCode = 1
    await (options.json ? printJson(report) : printReport(report))
  } catch (error) {
    progress.end()
    if (signal.aborted) note('Stopped. What was read so far is kept; the same import again finishes it.')
    throw error
  }
}

const MOST_SHOWN = 10

async function printReport({ added, existing, differing, bad }: ImportReport): Promise<void> {
  const parts = [
    countOf(added.memories, 'memory', 'memories'),
    countOf(added.changes, 'change', 'changes'),
    countOf(added.sessions, 'session', 'sessions'),
    countOf(added.directory, 'directory entry', 'directory entries'),
    countOf(added.personalities, 'personality', 'personalities'),
    countOf(added.injections, 'showing', 'showings'),
    countOf(added.events, 'event', 'events'),
  ]
  await printLine(`Added ${parts.join(', ')}. There already: ${countOf(existing, 'memory', 'memories')}.`)
  if (differing.length > 0) {
    await printLine(`${differing.length} of them differ from the file, and stay as they are:`)
    for (const { line, id } of differing.slice(0, MOST_SHOWN)) await printLine(`  line ${line}: ${escapeTerminal(id)}`)
  }
  if (bad.length > 0) {
    await printLine(paint('red', `${bad.length} lines could not be read:`))
    for (const { line, reason } of bad.slice(0, MOST_SHOWN))
      await printLine(`  line ${line}: ${escapeTerminal(reason)}`)
  }
}
