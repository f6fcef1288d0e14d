import type { ImportReport } from '../../engine/transfer.ts'
import { CATEGORIES } from '../../model/categories.ts'
import { MemoryError } from '../../model/errors.ts'
import { readClaudeMemory } from '../claude-memory.ts'
import { defineCommand } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { explainUnknownNames } from '../explain-empty.ts'
import { noteHeld, noteMarked } from '../format-outcome.ts'
import { importMarkdown } from '../import-markdown.ts'
import { formatOfFile, IMPORT_FORMATS, importBasicMemory, importClaudeMem, importMem0 } from '../import-notes.ts'
import { openInput, readInput, readLines } from '../input.ts'
import { stopSignal } from '../interruption.ts'
import { type GlobalOptions, readConfig, withEngine } from '../open-engine.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { oneOf } from '../parse-flags.ts'
import { showProgress } from '../progress.ts'
import { shell } from '../shell.ts'

/** Flags that only apply to notes: an export is imported with its own owners and categories. */
const NOTES_ONLY = ['agent', 'project', 'team', 'org', 'company', 'category', 'from', 'dryRun', 'yes'] as const

export const { configure } = defineCommand({
  arguments: [
    [
      '<file>',
      "an export, a Markdown file such as CLAUDE.md, a mem0 file, a basic-memory folder, 'claude-memory', 'claude-mem', or '-' for standard input",
    ],
  ],
  identifiers: ['agent', 'project', 'team', 'org', 'company'],
  options: {
    '--format <format>': ['what the file is (default: recognised)', oneOf(IMPORT_FORMATS)],
    '--category <category>': ['of all notes (default: from their source, else learning)', oneOf(CATEGORIES)],
    '--from <name>': 'for claude-mem: the name of its project (default: the name of this folder)',
    '--dry-run': 'only show what would be stored',
    '-y, --yes': 'store without asking',
    '--keep-trust': 'keep the trust levels of an export: for your own backups',
  },
  help: `
Notes become memories of the project, each with its source as anchor. Shows first what would become of each, and asks.
Importing the same source again stores only what is new in it.

  Markdown       each list item, with the heading as tag, and in front of it
                 if the item would not make sense without it
  claude-memory  the notes that Claude Code keeps of this project by itself
                 (~/.claude/projects/*/memory), except those about you
  claude-mem     the facts in its database (~/.claude-mem/claude-mem.db, or a
                 copy: *.db)
  mem0           a JSON file with what get_all() returns, or an export of
                 OpenMemory
  basic-memory   a folder of notes: each "- [category] text #tag"

An export (any other file) restores every memory as it was, with its history. An import never overwrites what the store has, so
it can be stopped and run again. The guard judges every text again: a file can lower trust, but raises it only with --keep-trust,
which also restores tokens. Lines that cannot be read are reported, the others are imported, and the exit code is 1.

Examples:
  nokosu import CLAUDE.md
  nokosu import claude-memory
  nokosu import claude-mem --from shop --dry-run
  nokosu import ~/basic-memory/shop
  nokosu import docs/conventions.md --project shop --yes
  nokosu import backup.jsonl --keep-trust
  gunzip -c backup.jsonl.gz | nokosu import -`,
  async run(options, file) {
    const format = options.format ?? (await formatOfFile(file))
    if (options.from !== undefined && format !== 'claude-mem') throw notFor('from', 'claude-mem')
    if (format === 'claude-memory')
      return importMarkdown(file, await readClaudeMemory(await readConfig(options)), options)
    if (format === 'markdown') return importMarkdown(file, await readInput(file), options)
    if (format === 'claude-mem') return importClaudeMem(file, options)
    if (format === 'basic-memory') return importBasicMemory(file, options)
    if (format === 'mem0') return importMem0(file, options)
    const flag = NOTES_ONLY.find((name) => options[name] !== undefined)
    if (flag !== undefined) throw notFor(flag, 'notes: an export is imported as it is')
    return importAll(file, options)
  },
})

function notFor(flag: string, what: string): MemoryError {
  const name = `--${flag === 'dryRun' ? 'dry-run' : flag}`
  return new MemoryError('INVALID_INPUT', `${name} is only for ${what}.`, {
    details: { field: flag, hint: 'Say what the file is with --format, for example --format markdown.' },
  })
}

async function importAll(file: string, options: GlobalOptions & { keepTrust?: boolean }): Promise<void> {
  const input = await openInput(file)
  const progress = showProgress('Importing lines')
  const signal = stopSignal()
  try {
    let elsewhere: string | null = null
    const report = await withEngine(options, 'write', async (engine, config) => {
      const imported = await engine.import(readLines(input, signal), {
        keepTrust: options.keepTrust === true,
        signal,
        onProgress: (lines) => progress.update(lines, null),
      })
      // An export keeps its projects: another repository's memories do not become this one's.
      if (!options.json) elsewhere = await explainUnknownNames(engine, {}, config)
      return imported
    })
    progress.end()
    if (report.bad.length > 0) shell().exitCode = 1
    await (options.json ? printJson(report) : printReport(report))
    if (elsewhere !== null) note(elsewhere)
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
    ...(added.tokens > 0 ? [countOf(added.tokens, 'token', 'tokens')] : []),
    countOf(added.personalities, 'personality', 'personalities'),
    countOf(added.injections, 'showing', 'showings'),
    countOf(added.events, 'event', 'events'),
  ]
  await printLine(`Added ${parts.join(', ')}. Already there: ${countOf(existing, 'memory', 'memories')}.`)
  if (withoutVector > 0) {
    const waiting = countOf(withoutVector, 'memory has', 'memories have')
    await printLine(
      `${waiting} no vector yet: until then, keywords alone find what was imported. Run:\n  ${commandLine('reembed')}`,
    )
  }
  noteHeld(held)
  noteMarked(marked)
  if (differing.length > 0) {
    await printLine(`${differing.length} of them differ from the file and were not changed:`)
    for (const { line, id } of differing.slice(0, MOST_SHOWN)) await printLine(`  line ${line}: ${id}`)
  }
  if (bad.length > 0) {
    await printLine(paint('red', `${bad.length} lines could not be read:`))
    for (const { line, reason } of bad.slice(0, MOST_SHOWN)) await printLine(`  line ${line}: ${reason}`)
  }
}
