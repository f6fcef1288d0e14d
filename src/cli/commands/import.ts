import type { ImportReport } from '../../engine/transfer.ts'
import { CATEGORIES } from '../../model/categories.ts'
import { MemoryError } from '../../model/errors.ts'
import { readClaudeMemory } from '../claude-memory.ts'
import { defineCommand } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { noteHeld, noteMarked } from '../format-outcome.ts'
import { importMarkdown } from '../import-markdown.ts'
import { openInput, readInput, readLines } from '../input.ts'
import { stopSignal } from '../interruption.ts'
import { type GlobalOptions, readConfig, withEngine } from '../open-engine.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { oneOf } from '../parse-flags.ts'
import { showProgress } from '../progress.ts'
import { shell } from '../shell.ts'

/** Flags that only say something about Markdown: an export knows where its memories belong, and is taken as it is. */
const MARKDOWN_ONLY = ['agent', 'project', 'team', 'org', 'company', 'category', 'dryRun', 'yes'] as const

export const { configure } = defineCommand({
  arguments: [['<file>', "an export, a Markdown file such as CLAUDE.md, 'claude-memory', or '-' for standard input"]],
  identifiers: ['agent', 'project', 'team', 'org', 'company'],
  options: {
    '--format <format>': ['what the file is (default: by its name)', oneOf(['export', 'markdown'])],
    '--category <category>': ['of Markdown items (default: learning)', oneOf(CATEGORIES)],
    '--dry-run': 'only show what would be stored of Markdown',
    '-y, --yes': 'store what Markdown holds without asking',
    '--keep-trust': 'believe what an export says of trust: for your own backups',
  },
  help: `
Markdown (*.md): each list item becomes a memory of the project, with its heading as tag and FILE:LINE as anchor. An item within
another begins with the words of that one. Code, tables and paragraphs are left out, and counted. You see first what would become
of each item, and are asked. Importing the file again stores only what is new in it.

claude-memory stands for the notes that Claude Code keeps by itself of this project (~/.claude/projects/*/memory): each item or paragraph becomes
a memory, with the name of its file as tag, shown first in the same way.

An export (all other files) has every memory as it was, with its history. An import never overwrites what the store has, so it can
be stopped and run again. Every text is judged anew: a file can lower trust, and raise it only with --keep-trust. When a line cannot be read, it is reported, the other lines are imported, and the exit code is 1.

Examples:
  nokosu import CLAUDE.md
  nokosu import claude-memory
  nokosu import docs/conventions.md --project shop --yes
  nokosu import backup.jsonl --keep-trust
  gunzip -c backup.jsonl.gz | nokosu import -`,
  async run(options, file) {
    const format = options.format ?? (/\.(?:md|markdown|mdx)$/i.test(file) ? 'markdown' : 'export')
    if (file === 'claude-memory' && options.format === undefined)
      return importMarkdown(file, await readClaudeMemory(await readConfig(options)), options)
    if (format === 'markdown') return importMarkdown(file, await readInput(file), options)
    const flag = MARKDOWN_ONLY.find((name) => options[name] !== undefined)
    if (flag === undefined) return importAll(file, options)
    const name = `--${flag === 'dryRun' ? 'dry-run' : flag}`
    throw new MemoryError('INVALID_INPUT', `${name} is for Markdown: an export is imported as it is.`, {
      details: { field: flag, hint: 'If the file is Markdown, say so with --format markdown.' },
    })
  },
})

async function importAll(file: string, options: GlobalOptions & { keepTrust?: boolean }): Promise<void> {
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

async function printReport({
  added,
  withoutVector,
  held,
  marked,
  existing,
  differing,
  bad,
}: ImportReport): Promise<void> {
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
  noteHeld(held)
  noteMarked(marked)
  if (differing.length > 0) {
    await printLine(`${differing.length} of them differ from the file, and stay as they are:`)
    for (const { line, id } of differing.slice(0, MOST_SHOWN)) await printLine(`  line ${line}: ${id}`)
  }
  if (bad.length > 0) {
    await printLine(paint('red', `${bad.length} lines could not be read:`))
    for (const { line, reason } of bad.slice(0, MOST_SHOWN)) await printLine(`  line ${line}: ${reason}`)
  }
}
