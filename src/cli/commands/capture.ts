import type { Command } from 'commander'
import type { CaptureReport } from '../../engine/capture.ts'
import { explainFlags } from '../../guard/explain-flags.ts'
import { LAYERS, type Layer } from '../../model/layer.ts'
import type { Tier } from '../../model/memory.ts'
import type { Outcome } from '../../model/outcome.ts'
import { CAPTURE_FORMATS, type Recognised, recogniseInput } from '../capture-input.ts'
import { choice } from '../choice.ts'
import { isHeld, noteHeld } from '../held.ts'
import { addIdentifierOptions, type IdentifierOptions, readOwner } from '../identifiers.ts'
import { type GlobalOptions, quietly, withEngine } from '../open-engine.ts'
import { openInput } from '../open-input.ts'
import { countOf, note, paint, printJson, printLine, type Style } from '../output.ts'
import { wholeIn } from '../parse-flags.ts'

interface Options extends GlobalOptions, IdentifierOptions {
  format?: Recognised
  layer?: Layer
  tier?: number
  role?: string
  suggestions?: boolean
  dryRun?: boolean
}

/** `nokosu capture` */
export function configure(command: Command): void {
  addIdentifierOptions(command.argument('[file]', 'the agent’s output (default: standard input)'))
    .addOption(choice('--format <format>', 'what it is (default: it is recognised)', CAPTURE_FORMATS))
    .addOption(
      choice(
        '--layer <layer>',
        'where memories go (default: the agent’s with --agent, else the project’s)',
        LAYERS,
        'INVALID_LAYER',
      ),
    )
    .option('--tier <number>', 'the tier of the run: 1, 2 or 3', wholeIn('--tier', 1, 3))
    .option('--role <role>', 'the role of the agent, for the session')
    .option('--suggestions', 'read ## MEMORY_SUGGESTIONS blocks too')
    .option('--dry-run', 'only show what would be stored')
    .addHelpText(
      'after',
      `
Reads an agent's output and stores its [MEMORY:...] markers. Only assistant text is read: tool results, user text and API errors
never become memories. Capturing the same session again changes nothing.

What it is given is recognised, and it says what it took it for:
  stream-json  claude -p --output-format stream-json --verbose
  transcript   a session file of Claude Code, or the input of one of its hooks,
               which names that file
  learnings    a JSON array of learnings, as an extraction returns it
  text         anything else: the output of any other command

Examples:
  claude -p "check the services" --output-format stream-json --verbose | nokosu capture --project home --tier 1
  nokosu capture run.jsonl --agent nori --dry-run
  ./check-services.sh | nokosu capture --project home`,
    )
    .action(capture)
}

async function capture(file: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { layer, tier, role, suggestions, dryRun } = options
  const input = await openInput(file ?? '-')
  const given = options.format && { source: input, format: options.format, told: null }
  const { source, format, told, ...said } = given ?? (await recogniseInput(input))
  const session = options.session ?? ('session' in said ? said.session : undefined)
  const report = await withEngine(
    // What is only tried needs no store.
    { ...quietly(options), json: options.json === true || dryRun === true },
    dryRun ? 'read' : 'write',
    (engine, config) =>
      engine.capture(source, {
        format,
        identifiers: readOwner(options, config),
        ...(layer === undefined ? {} : { layer }),
        ...(tier === undefined ? {} : { tier: tier as Tier }),
        ...(role === undefined ? {} : { role }),
        ...(session === undefined ? {} : { session }),
        ...(suggestions ? { suggestions } : {}),
        ...(dryRun ? { dryRun } : {}),
      }),
    (config) => readOwner(options, config),
  )
  if (options.json) return printJson({ ...report, format })
  if (told !== null) note(`Read as ${told}.`)
  for (const outcome of report.outcomes) await printLine(formatOutcome(outcome))
  for (const { reason, excerpt, line } of report.refusals) {
    const where = line === undefined ? '' : ` (line ${line})`
    await printLine(`${paint('yellow', 'refused   ')}  ${excerpt}\n            ${paint('dim', reason + where)}`)
  }
  note(summarize(report, dryRun === true))
  if (report.outcomes.length + report.refusals.length === 0) {
    note("It holds no [MEMORY:...] line. 'nokosu recording' prints what teaches an agent to leave them.")
  }
  if (!dryRun) noteHeld(report.outcomes.filter(isHeld).length)
}

const VERBS: Record<Outcome['kind'], { verb: string; style: Style }> = {
  insert: { verb: 'new', style: 'green' },
  reinforce: { verb: 'reinforced', style: 'cyan' },
  contradict: { verb: 'corrected', style: 'yellow' },
  duplicate: { verb: 'known', style: 'dim' },
  refuse: { verb: 'refused', style: 'yellow' },
}
const HELD: (typeof VERBS)['insert'] = { verb: 'held', style: 'yellow' }

function formatOutcome(outcome: Outcome): string {
  const { kind, reason, content, category, service, redactions, flags } = outcome
  const memory = outcome.kind === 'refuse' ? null : outcome.memory
  const weakened = outcome.kind === 'contradict' || outcome.kind === 'reinforce' ? outcome.weakened : []
  const held = isHeld(outcome)
  const { verb, style } = held ? HELD : VERBS[kind]
  const about = service === null ? category : `${category}:${service}`
  const confidence = memory === null ? '' : ` (confidence ${memory.confidence})`
  const lines = [
    `${paint(style, verb.padEnd(10))}  [${about}] ${content}${confidence}`,
    `            ${paint('dim', reason)}`,
  ]
  for (const { content: text, confidence: left, active } of weakened) {
    lines.push(`            ${paint('dim', `weakened to ${left}${active ? '' : ', now inactive'}: ${text}`)}`)
  }
  const secrets = redactions.reduce((sum, { count }) => sum + count, 0)
  if (secrets > 0) lines.push(`            ${paint('yellow', `${countOf(secrets, 'secret', 'secrets')} redacted`)}`)
  if (flags.length > 0 && !held) {
    lines.push(`            ${paint('yellow', `shown as unverified: it ${explainFlags(flags).join('; it ')}`)}`)
  }
  return lines.join('\n')
}

function summarize({ outcomes, refusals, warnings, session, lines }: CaptureReport, dryRun: boolean): string {
  const count = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length
  const held = outcomes.filter(isHeld).length
  const parts = [
    `${countOf(lines, 'line', 'lines')} read`,
    `${count('insert') + count('contradict') - held} new`,
    `${count('reinforce')} reinforced`,
    `${count('duplicate')} known`,
    `${refusals.length + count('refuse')} refused`,
    ...(held === 0 ? [] : [`${held} held for review`]),
  ]
  const run = session === null ? '' : ` Session ${session}.`
  const lead = `${parts.join(', ')}.${run}${dryRun ? ' Nothing was stored.' : ''}`
  return [lead, ...warnings.map((warning) => `Warning: ${warning}`)].join('\n')
}
