import type { CaptureReport } from '../../engine/capture.ts'
import type { Identifiers, Layer } from '../../model/layer.ts'
import { LAYERS } from '../../model/layer.ts'
import type { Tier } from '../../model/memory.ts'
import type { Outcome } from '../../model/outcome.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { CAPTURE_FORMATS, recogniseInput } from '../capture-input.ts'
import { defineCommand } from '../command.ts'
import { aboutOf, formatOutcome, isHeld, isMarked, noteHeld } from '../format-outcome.ts'
import { readOwner } from '../identifiers.ts'
import { openInput } from '../input.ts'
import { LANDING_OPTIONS, landingOf } from '../landing-options.ts'
import { quietly, withEngine } from '../open-engine.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { oneOf, whole } from '../parse-flags.ts'

export const { configure } = defineCommand({
  arguments: [['[file]', 'the agent’s output (default: standard input)']],
  identifiers: LAYERS,
  options: {
    '--format <format>': ['its format (default: detected)', oneOf(CAPTURE_FORMATS)],
    ...LANDING_OPTIONS,
    '--tier <number>': ['the tier of the run: 1, 2 or 3', whole(1, 3)],
    '--role <role>': 'the role of the agent, for the session',
    '--suggestions': 'read ## MEMORY_SUGGESTIONS blocks too',
    '--dry-run': 'only show what would be stored',
  },
  help: `
Reads an agent's output and stores its [MEMORY:...] markers. Only assistant text is read: tool results, user text and API errors
never become memories. Capturing the same session again changes nothing.

The format is detected, and printed:
  stream-json  claude -p --output-format stream-json --verbose
  transcript   a session file of Claude Code, or the input of one of its hooks,
               which names that file
  learnings    a JSON array of learnings, as an extraction returns it
  text         anything else: the output of any other command

Examples:
  claude -p "check the services" --output-format stream-json --verbose | nokosu capture --project home --tier 1
  nokosu capture run.jsonl --agent nori --dry-run
  ./check-services.sh | nokosu capture --project home`,
  async run(options, file = '-') {
    const { role, suggestions, dryRun = false } = options
    const input = await openInput(file)
    const given = options.format && { source: input, format: options.format, told: null }
    const { source, format, told, ...said } = given ?? (await recogniseInput(input))
    const session = options.session ?? ('session' in said ? said.session : undefined)
    const tier = options.tier as Tier | undefined
    const report = await withEngine(
      // A dry run needs no store.
      { ...quietly(options), json: options.json === true || dryRun },
      dryRun ? 'read' : 'write',
      (engine, config) =>
        engine.capture(source, {
          ...{ format, identifiers: ownerOf(readOwner(options, config), options.layer), dryRun },
          ...withoutUndefined({ layer: landingOf(options), tier, role, session, suggestions }),
        }),
      (config) => readOwner(options, config),
    )
    if (options.json) return printJson({ ...report, format })
    if (told !== null) note(`Read as ${told}.`)
    for (const outcome of report.outcomes) {
      const memory = 'memory' in outcome ? outcome.memory : null
      const sure = memory === null ? '' : ` (confidence ${memory.confidence})`
      await printLine(formatOutcome(outcome, `[${aboutOf(outcome)}] ${outcome.content}${sure}`))
    }
    for (const { reason, excerpt, line } of report.refusals) {
      const where = line === undefined ? '' : ` (line ${line})`
      await printLine(`${paint('yellow', 'refused   ')}  ${excerpt}\n            ${paint('dim', reason + where)}`)
    }
    note(summarize(report, dryRun))
    if (report.outcomes.length + report.refusals.length === 0) {
      note("No [MEMORY:...] lines found. 'nokosu recording' prints the instructions that teach an agent to write them.")
    }
    if (!dryRun) noteHeld(report.outcomes.filter(isHeld).length)
  },
})

/** The session identifies the speaker. Its findings are only its own if its layer is requested. */
function ownerOf({ sessionId, ...owner }: Identifiers, layer: Layer | undefined): Identifiers {
  return layer === 'session' && sessionId !== undefined ? { ...owner, sessionId } : owner
}

function summarize({ outcomes, refusals, warnings, session, lines }: CaptureReport, dryRun: boolean): string {
  const count = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length
  const held = outcomes.filter(isHeld).length
  const marked = outcomes.filter(isMarked).length
  const parts = [
    `${countOf(lines, 'line', 'lines')} read`,
    `${count('insert') + count('contradict') - held} new`,
    `${count('reinforce')} reinforced`,
    `${count('duplicate')} known`,
    `${refusals.length + count('refuse')} refused`,
    ...(held === 0 ? [] : [`${held} held for review`]),
    ...(marked === 0 ? [] : [`${marked} shown as unverified`]),
  ]
  const run = session === null ? '' : ` Session ${session}.`
  const lead = `${parts.join(', ')}.${run}${dryRun ? ' Nothing was stored.' : ''}`
  return [lead, ...warnings.map((warning) => `Warning: ${warning}`)].join('\n')
}
