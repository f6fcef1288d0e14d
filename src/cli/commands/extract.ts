import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { DEFAULT_EXTRACTION, extractLearnings } from '../../agents/run/extract-learnings.ts'
import { type CaptureFormat, captureStream } from '../../capture/capture.ts'
import { withoutMarkers } from '../../capture/markers.ts'
import type { Nokosu } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import type { Layer } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import { isHeld, noteHeld } from '../held.ts'
import { addIdentifierOptions, type IdentifierOptions, readOwner } from '../identifiers.ts'
import { type GlobalOptions, readConfig, withEngine } from '../open-engine.ts'
import { countOf, note, printJson, printLine } from '../output.ts'
import { parseNumber, parseWhole } from '../parse-flags.ts'
import { shell } from '../shell.ts'

const FORMATS: readonly CaptureFormat[] = ['transcript', 'stream-json', 'text']

/** More than a session is shown. */
const MOST_SHOWN = 100

interface Options extends GlobalOptions, IdentifierOptions {
  format: CaptureFormat
  layer?: Layer
  exit: number
  with?: string
  claude: string
  timeout?: number
  dryRun?: boolean
}

/** `nokosu extract` */
export function configure(command: Command): void {
  addIdentifierOptions(command.argument('[file]', 'what the run said (default: standard input)'))
    .option('--format <format>', FORMATS.join(', '), 'transcript')
    .option('--layer <layer>', 'where memories go (default: the agent’s with --agent, else the project’s)')
    .option('--exit <code>', 'how the run ended', parseWhole, 0)
    .option('--with <command>', 'a shell command that reads the prompt and prints a JSON array (default: claude)')
    .option('--claude <program>', 'the program of Claude Code', 'claude')
    .option('--timeout <seconds>', `at most this long (default: ${DEFAULT_EXTRACTION.timeoutMs / 1000})`, parseNumber)
    .option('--dry-run', 'only show what would be remembered')
    .addHelpText(
      'after',
      `
Asks a model, in one small call, for one to five things that a run learned, and remembers them. Where the session is known, it is
asked too which of the memories that the session was shown still hold or are wrong. What it claims counts only with words that are in
the run's own text.

Examples:
  nokosu extract ~/.claude/projects/-work-shop/1f0c.jsonl --agent nori --project shop
  nokosu extract run.txt --format text --project home --with ./my-extractor.sh --dry-run`,
    )
    .action(extract)
}

async function extract(file: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { format, layer, exit, dryRun, session } = options
  if (!FORMATS.includes(format)) {
    throw new MemoryError('INVALID_INPUT', `Invalid format: use one of ${FORMATS.join(', ')}.`, {
      details: { field: 'format' },
    })
  }
  const config = await readConfig(options)
  const run = await captureStream(file === undefined ? shell().stdin : createReadStream(resolve(shell().cwd, file)), {
    format,
  })
  const said = withoutMarkers(run.assistantText).trim()
  if (said === '') {
    throw new MemoryError('INVALID_INPUT', 'The run said nothing: there is nothing to learn from.', {
      details: { field: 'file' },
    })
  }
  const name = session ?? run.session?.sessionId
  const shown = name === undefined ? [] : await withEngine(options, 'read', (engine) => shownTo(engine, name))
  const extractor = options.with ?? config.extract.command
  const { candidates, refusals } = await extractLearnings(
    {
      ...{ said, shown, recorded: run.candidates, exitCode: exit },
      outcome: run.outcome?.subtype ?? (exit === 0 ? 'success' : 'failure'),
    },
    {
      with: extractor === undefined ? { claude: options.claude } : { shell: extractor },
      timeoutMs: (options.timeout ?? config.extract.timeoutSeconds) * 1000,
      maxBudgetUsd: config.extract.maxBudgetUsd,
      env: { ...shell().env },
    },
  )
  const outcomes = await withEngine(options, dryRun ? 'read' : 'write', (engine) =>
    engine.remember(candidates, {
      identifiers: readOwner(options, config),
      ...(layer === undefined ? {} : { layer }),
      ...(name === undefined ? {} : { session: name }),
      ...(dryRun ? { dryRun } : {}),
    }),
  )
  if (options.json) return printJson({ outcomes, refusals })
  for (const outcome of outcomes) {
    await printLine(`${(isHeld(outcome) ? 'held' : outcome.kind).padEnd(10)}  ${outcome.content}`)
  }
  for (const { reason } of refusals) note(`Refused: ${reason}`)
  note(`${countOf(candidates.length, 'learning', 'learnings')}.${dryRun ? ' Nothing was stored.' : ''}`)
  if (!dryRun) noteHeld(outcomes.filter(isHeld).length)
}

/** Memories that a session was shown, in their order, as far as they are still there. */
async function shownTo(engine: Nokosu, session: string): Promise<Memory[]> {
  const { injections } = await engine.injections({ session, everything: true, limit: MOST_SHOWN })
  const ids = [...new Set(injections.map(({ memory }) => memory))]
  return (await Promise.all(ids.map((id) => engine.get(id, { everything: true })))).filter((each) => each !== null)
}
