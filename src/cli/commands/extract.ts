import { DEFAULT_EXTRACTION, extractLearnings } from '../../agents/run/extract-learnings.ts'
import { captureStream } from '../../capture/capture.ts'
import { withoutMarkers } from '../../capture/markers.ts'
import type { Nokosu } from '../../engine/nokosu.ts'
import { invalidInput } from '../../model/errors.ts'
import { LAYERS } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { isHeld, noteHeld } from '../format-outcome.ts'
import { readOwner } from '../identifiers.ts'
import { openInput } from '../input.ts'
import { LANDING_OPTIONS, landingOf } from '../landing-options.ts'
import { readConfig, withEngine } from '../open-engine.ts'
import { countOf, note, printJson, printLine } from '../output.ts'
import { number, oneOf, text, whole } from '../parse-flags.ts'
import { shell } from '../shell.ts'

/** More than a session is ever shown. */
const MOST_SHOWN = 100

export const { configure } = defineCommand({
  arguments: [['[file]', 'what the run said (default: standard input)']],
  identifiers: LAYERS,
  options: {
    '--format <format>': ['what it is', oneOf(['transcript', 'stream-json', 'text']), 'transcript'],
    ...LANDING_OPTIONS,
    '--exit <code>': ['the exit code of the run', whole(0), 0],
    '--with <command>': 'a shell command that reads the prompt and prints a JSON array (default: claude)',
    '--claude <program>': ['the Claude Code executable', text, 'claude'],
    '--timeout <seconds>': [`time limit (default: ${DEFAULT_EXTRACTION.timeoutMs / 1000})`, number(0)],
    '--dry-run': 'only show what would be stored',
  },
  help: `
Asks a model, in one small call, for one to five things that a run learned, and stores them. If the session is known, the model is
also asked which of the memories shown to it are still true or are wrong. A claim counts only if it quotes the run's own text.

Examples:
  nokosu extract ~/.claude/projects/-work-shop/1f0c.jsonl --agent nori --project shop
  nokosu extract run.txt --format text --project home --with ./my-extractor.sh --dry-run`,
  async run(options, file = '-') {
    const { format, exit, dryRun } = options
    const config = await readConfig(options)
    const run = await captureStream(await openInput(file), { format })
    const said = withoutMarkers(run.assistantText).trim()
    if (said === '') {
      throw invalidInput('file', 'The run said nothing: there is nothing to learn from.')
    }
    const session = options.session ?? run.session?.sessionId
    const shown = session === undefined ? [] : await withEngine(options, 'read', (engine) => shownTo(engine, session))
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
    const identifiers = readOwner(options, config)
    const outcomes = await withEngine(options, dryRun ? 'read' : 'write', (engine) =>
      engine.remember(candidates, { identifiers, ...withoutUndefined({ layer: landingOf(options), session, dryRun }) }),
    )
    if (options.json) return printJson({ outcomes, refusals })
    for (const outcome of outcomes) {
      await printLine(`${(isHeld(outcome) ? 'held' : outcome.kind).padEnd(10)}  ${outcome.content}`)
    }
    for (const { reason } of refusals) note(`Refused: ${reason}`)
    note(`${countOf(candidates.length, 'learning', 'learnings')}.${dryRun ? ' Nothing was stored.' : ''}`)
    if (!dryRun) noteHeld(outcomes.filter(isHeld).length)
  },
})

async function shownTo(engine: Nokosu, session: string): Promise<Memory[]> {
  const { injections } = await engine.injections({ session, everything: true, limit: MOST_SHOWN })
  const ids = [...new Set(injections.map(({ memory }) => memory))]
  return (await Promise.all(ids.map((id) => engine.get(id, { everything: true })))).filter((each) => each !== null)
}
