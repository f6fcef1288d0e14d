import type { Command } from 'commander'
import type { CaptureReport } from '../../engine/capture.ts'
import { explainFlags } from '../../guard/explain-flags.ts'
import type { Layer } from '../../model/layer.ts'
import type { Tier } from '../../model/memory.ts'
import type { Outcome } from '../../model/outcome.ts'
import { isHeld, noteHeld } from '../held.ts'
import { addIdentifierOptions, type IdentifierOptions, readOwner } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { openInput } from '../open-input.ts'
import { countOf, note, paint, printJson, printLine, type Style } from '../output.ts'
import { parseWhole } from '../parse-flags.ts'

const FORMATS = ['stream-json', 'transcript', 'text', 'learnings'] as const

interface Options extends GlobalOptions, IdentifierOptions {
  format?: (typeof FORMATS)[number]
  layer?: Layer
  tier?: number
  role?: string
  suggestions?: boolean
  dryRun?: boolean
}

/** `nokosu capture` */
export function configure(command: Command): void {
  addIdentifierOptions(command.argument('[file]', 'the agent’s output (default: standard input)'))
    .option('--format <format>', `${FORMATS.join(', ')} (default: stream-json)`)
    .option('--layer <layer>', 'where memories go (default: the agent’s with --agent, else the project’s)')
    .option('--tier <number>', 'the tier of the run: 1, 2 or 3', parseWhole)
    .option('--role <role>', 'the role of the agent, for the session')
    .option('--suggestions', 'read ## MEMORY_SUGGESTIONS blocks too')
    .option('--dry-run', 'only show what would be stored')
    .addHelpText(
      'after',
      `
Reads an agent's output and stores its [MEMORY:...] markers. Only assistant text is read: tool results, user text and API errors
never become memories. Capturing the same session again changes nothing.

Formats:
  stream-json  claude -p --output-format stream-json --verbose
  transcript   a session file of Claude Code
  text         the standard output of any other command
  learnings    a JSON array of learnings, as an extraction returns it

Examples:
  claude -p "check the services" --output-format stream-json --verbose | nokosu capture --project home --tier 1
  nokosu capture run.jsonl --project shop --agent nori --dry-run`,
    )
    .action(capture)
}

async function capture(file: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { format = 'stream-json', layer, tier, role, suggestions, dryRun, session } = options
  const source = await openInput(file ?? '-')
  const report = await withEngine(options, dryRun ? 'read' : 'write', (engine, config) =>
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
  )
  if (options.json) return printJson(report)
  for (const outcome of report.outcomes) await printLine(formatOutcome(outcome))
  for (const { reason, excerpt, line } of report.refusals) {
    const where = line === undefined ? '' : ` (line ${line})`
    await printLine(`${paint('yellow', 'refused   ')}  ${excerpt}\n            ${paint('dim', reason + where)}`)
  }
  note(summarize(report, dryRun === true))
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
