import { escapeTerminal } from '../../guard/escape.ts'
import { wrapTo } from '../display-width.ts'
import { aboutOf, OUTCOME_WORDS } from '../format-outcome.ts'
import { countOf, paint, type Style } from '../output.ts'
import { type Column, formatTable } from '../table.ts'
import type { Step } from './agent-view.ts'
import type { Deed, RunFacts } from './perform-run.ts'

/** Columns of the narrowest terminal that people use. */
const WIDTH = 80
const VERB_WIDTH = 12
const COMMAND_WIDTH = 17

export const INTRODUCTION = [
  'One agent, three runs, no key.',
  '',
  'The agent is a script. It restarts three services on a home server, and knows',
  'only what its memory says. The server and its clock are simulated. The rest is',
  'real: Nokosu runs the agent as a separate process, reads what it prints, and',
  'stores memories in a SQLite file.',
].join('\n')

const TITLES: Record<number, string> = {
  1: 'Run 1: there are no memories yet',
  2: 'Run 2: the same task the next day',
  3: 'Run 3: jellyfin was upgraded overnight, and the agent does not know',
}

export function tellTitle(run: number): string {
  const command = `$ nokosu run --project home --tier 1 -- nokosu demo-agent ${run}`
  return `\n${paint('bold', TITLES[run]!)}\n${paint('dim', command)}\n`
}

export function tellSaid(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith('[MEMORY:') ? indent(line, 2, 4, 'cyan') : indent(`“${line}”`, 2, 3)))
    .join('\n')
}

export function tellStep({ command, output, ok }: Step, number: number): string {
  const lead = `  ${String(number).padStart(2)}  ${command.padEnd(COMMAND_WIDTH)}`
  const lines = escapeLines(output).join('\n')
  const shown = wrapTo(lines, WIDTH, ' '.repeat(lead.length))
  return `${lead}${shown === '' ? '' : paint(ok ? 'dim' : 'yellow', shown)}`.trimEnd()
}

export function tellDeeds({ steps, failed, deeds, ignored, redacted }: RunFacts): string {
  const lines = [`\n  ${paint('bold', `${steps} steps, ${failed === 0 ? 'none' : failed} failed.`)} What Nokosu did:`]
  for (const deed of deeds) {
    const [verb, style] = OUTCOME_WORDS[deed.kind]
    lines.push(
      entry(verb, style, `[${aboutOf(deed)}] ${deed.content}`),
      remark(`${confidenceOf(deed)}: ${deed.reason}`),
    )
    for (const { content, before, confidence } of deed.weakened) {
      lines.push(remark(`confidence ${before} -> ${confidence}: ${content}`))
    }
  }
  if (redacted > 0) {
    lines.push(entry('redacted', 'yellow', `${countOf(redacted, 'secret', 'secrets')}, before anything was stored`))
  }
  for (const text of ignored) {
    lines.push(entry('ignored', 'yellow', text), remark('a tool printed this marker; only assistant text is stored'))
  }
  return lines.join('\n')
}

function confidenceOf({ before, confidence }: Deed): string {
  return `confidence ${before === null || before === confidence ? '' : `${before} -> `}${confidence}`
}

export function tellNext(block: string): string {
  const lines = escapeLines(block.trimEnd()).flatMap((line) => wrapTo(line, WIDTH - 4, '  ').split('\n'))
  const framed = lines.map((line) => `  ${paint('dim', '|')} ${line}`.trimEnd())
  return ['\n  What the next run is shown:', ...framed].join('\n')
}

const SUMMARY: readonly Column<RunFacts>[] = [
  { title: '  run', value: ({ run }) => String(run), align: 'right' },
  { title: 'memories shown', value: ({ shown }) => String(shown), align: 'right' },
  { title: 'steps', value: ({ steps }) => String(steps), align: 'right' },
  { title: 'failed', value: ({ failed }) => String(failed).padStart('failed'.length) },
]

/** `kept` is the folder that the caller named, if any. */
export function tellEnd(runs: readonly RunFacts[], kept: string | undefined): string {
  const place =
    kept === undefined
      ? 'The demo removed its store. To keep it: nokosu demo --keep DIR'
      : `The store was kept: cd ${escapeTerminal(kept)} && nokosu list --project home`
  return `
${paint('bold', 'In short')}
${formatTable(runs, SUMMARY)}
A fourth run would wait 90 s: the correction has taken the place of the 60 s.
${place}

${paint('bold', 'Try next')}
  nokosu add --project shop --category timing "The nightly build takes 40 min"
  nokosu search --project shop "how long does a build take?"
  nokosu run --project shop -- claude -p "your task" \\
    --output-format stream-json --verbose`
}

function entry(verb: string, style: Style, text: string): string {
  return `    ${paint(style, verb.padEnd(VERB_WIDTH))}${hang(text, 4 + VERB_WIDTH)}`
}

function remark(text: string): string {
  return indent(text, 4 + VERB_WIDTH, 4 + VERB_WIDTH, 'dim')
}

function indent(text: string, first: number, others: number, style?: Style): string {
  const lines = hang(text, others)
  return ' '.repeat(first) + (style ? paint(style, lines) : lines)
}

/** Wrapped between words; later lines are indented to this column. */
function hang(text: string, column: number): string {
  return wrapTo(escapeTerminal(text), WIDTH, ' '.repeat(column))
}

function escapeLines(text: string): string[] {
  return text.split('\n').map(escapeTerminal)
}
