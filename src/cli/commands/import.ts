import { type Command, Option } from 'commander'
import type { ImportReport } from '../../engine/transfer.ts'
import { MemoryError } from '../../model/errors.ts'
import { CATEGORIES } from '../../model/memory.ts'
import { commandLine } from '../command-line.ts'
import { addIdentifierOptions } from '../identifiers.ts'
import { importMarkdown, type MarkdownOptions } from '../import-markdown.ts'
import { stopSignal } from '../interruption.ts'
import { withEngine } from '../open-engine.ts'
import { openInput } from '../open-input.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { showProgress } from '../progress.ts'
import { readLines } from '../read-lines.ts'
import { shell } from '../shell.ts'

interface Options extends MarkdownOptions {
  format?: 'export' | 'markdown'
  keepTrust?: boolean
}

/** Flags that only say something about Markdown: an export knows where its memories belong, and is taken as it is. */
const MARKDOWN_ONLY = ['agent', 'project', 'team', 'org', 'company', 'category', 'dryRun', 'yes'] as const

/** `nokosu import` */
export function configure(command: Command): void {
  addIdentifierOptions(
    command.argument('<file>', "an export or a Markdown file such as CLAUDE.md, or '-' for standard input"),
    ['agent', 'project', 'team', 'org', 'company'],
  )
    .addOption(
      new Option('--format <format>', 'what the file is (default: by its name)').choices(['export', 'markdown']),
    )
    .option('--category <category>', `of Markdown items: ${CATEGORIES.join(', ')} (default: learning)`)
    .option('--dry-run', 'only show what would be stored of Markdown')
    .option('-y, --yes', 'store what Markdown holds without asking')
    .option('--keep-trust', 'believe what an export says of trust: for your own backups')
    .addHelpText(
      'after',
      `
Markdown (*.md): each list item becomes a memory of the project, with its heading as tag and FILE:LINE as anchor. An item within
another begins with the words of that one. Code, tables and paragraphs are left out, and counted. You see first what would become
of each item, and are asked. Importing the file again stores only what is new in it.

An export (all other files) has every memory as it was, with its history. An import never overwrites what the store has, so it can
be stopped and run again. Every text is judged anew: a file can lower trust, and raise it only with --keep-trust. When a line cannot be read, it is reported, the other lines are imported, and the exit code is 1.

Examples:
  nokosu import CLAUDE.md
  nokosu import docs/conventions.md --project shop --yes
  nokosu import backup.jsonl --keep-trust
  gunzip -c backup.jsonl.gz | nokosu import -`,
    )
    .action(importFile)
}

async function importFile(file: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const format = options.format ?? (/\.(?:md|markdown|mdx)$/i.test(file) ? 'markdown' : 'export')
  if (format === 'markdown') return importMarkdown(file, await readWhole(file), options)
  const flag = MARKDOWN_ONLY.find((name) => options[name] !== undefined)
  if (flag === undefined) return importAll(file, options)
  const name = `--${flag === 'dryRun' ? 'dry-run' : flag}`
  throw new MemoryError('INVALID_INPUT', `${name} is for Markdown: an export is imported as it is.`, {
    details: { field: flag, hint: 'If the file is Markdown, say so with --format markdown.' },
  })
}

/** More than anybody writes by hand. A wrong file is refused without reading all of it. */
const MOST_BYTES = 4 << 20

async function readWhole(file: string): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of (await openInput(file)) as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size > MOST_BYTES) break
  }
  if (size > MOST_BYTES) {
    throw new MemoryError('CONTENT_TOO_LONG', `${file} is too large for Markdown: at most 4 MiB are read.`, {
      details: { maxLength: MOST_BYTES, hint: 'Import it in parts. If it is an export, say so with --format export.' },
    })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (error) {
    throw new MemoryError('INVALID_INPUT', 'The file is not UTF-8 text.', { cause: error })
  }
}

async function importAll(file: string, options: Options): Promise<void> {
  const input = await openInput(file)
  const progress = showProgress('Importing lines')
  const signal = stopSignal()
  try {
    const report = await withEngine(options, 'write', (engine) =>
      engine.import(readLines(input, signal), {
        keepTrust: options.keepTrust === true,
        signal,
        onProgress: (lines) => progress.update(lines, null),
      }),
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

async function printReport({ added, withoutVector, existing, differing, bad }: ImportReport): Promise<void> {
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
  if (withoutVector > 0) {
    const waiting = countOf(withoutVector, 'memory waits', 'memories wait')
    await printLine(
      `${waiting} for a vector: until then, words alone find what was imported. Run:\n  ${commandLine('reembed')}`,
    )
  }
  if (differing.length > 0) {
    await printLine(`${differing.length} of them differ from the file, and stay as they are:`)
    for (const { line, id } of differing.slice(0, MOST_SHOWN)) await printLine(`  line ${line}: ${id}`)
  }
  if (bad.length > 0) {
    await printLine(paint('red', `${bad.length} lines could not be read:`))
    for (const { line, reason } of bad.slice(0, MOST_SHOWN)) await printLine(`  line ${line}: ${reason}`)
  }
}
