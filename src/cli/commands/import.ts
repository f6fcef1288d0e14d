import type { Command } from 'commander'
import type { ImportReport } from '../../engine/transfer.ts'
import { stopSignal } from '../interruption.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { openInput } from '../open-input.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { showProgress } from '../progress.ts'
import { readLines } from '../read-lines.ts'
import { shell } from '../shell.ts'

/** `nokosu import` */
export function configure(command: Command): void {
  command
    .argument('<file>', "an export, or '-' for standard input")
    .addHelpText(
      'after',
      `
An import never overwrites what the store has, so it can be stopped and run again. When a line cannot be read, it is reported,
the other lines are imported, and the exit code is 1.

Examples:
  nokosu import backup.jsonl
  gunzip -c backup.jsonl.gz | nokosu import -`,
    )
    .action(importAll)
}

async function importAll(file: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>()
  const input = await openInput(file)
  const progress = showProgress('Importing lines')
  const signal = stopSignal()
  try {
    const report = await withEngine(options, 'write', (engine) =>
      engine.import(readLines(input, signal), { signal, onProgress: (lines) => progress.update(lines, null) }),
    )
    progress.end()
    if (report.bad.length > 0) shell().exitCode = 1
    await (options.json ? printJson(report) : printReport(report))
  } catch (error) {
    progress.end()
    if (signal.aborted) note('Stopped. What was imported is kept. Run the same import again to finish it.')
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
  await printLine(`Added ${parts.join(', ')}. Already there: ${countOf(existing, 'memory', 'memories')}.`)
  if (differing.length > 0) {
    await printLine(`${differing.length} of them differ from the file, and stay as they are:`)
    for (const { line, id } of differing.slice(0, MOST_SHOWN)) await printLine(`  line ${line}: ${id}`)
  }
  if (bad.length > 0) {
    await printLine(paint('red', `${bad.length} lines could not be read:`))
    for (const { line, reason } of bad.slice(0, MOST_SHOWN)) await printLine(`  line ${line}: ${reason}`)
  }
}
