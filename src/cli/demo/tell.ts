import { escapeTerminal } from '../../guard/escape.ts'
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
  const lines = escapeLines(output).flatMap((line) => wrap(line, WIDTH - lead.length))
  const style: Style = ok ? 'dim' : 'yellow'
  return lines
    .map((line, i) => `${i === 0 ? lead : ' '.repeat(lead.length)}${line === '' ? '' : paint(style, line)}`.trimEnd())
    .join('\n')
}

const VERBS: Record<Deed['kind'], [string, Style]> = {
  insert: ['new', 'green'],
  reinforce: ['reinforced', 'cyan'],
  contradict: ['corrected', 'yellow'],
  duplicate: ['known', 'dim'],
  refuse: ['refused', 'yellow'],
}

export function tellDeeds({ steps, failed, deeds, ignored, redacted }: RunFacts): string {
  const lines = [`\n  ${paint('bold', `${steps} steps, ${failed === 0 ? 'none' : failed} failed.`)} What Nokosu did:`]
  for (const deed of deeds) {
    const [verb, style] = VERBS[deed.kind]
    const about = deed.service === null ? deed.category : `${deed.category}:${deed.service}`
    lines.push(entry(verb, style, `[${about}] ${deed.content}`), remark(`${confidenceOf(deed)}: ${deed.reason}`))
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
  const lines = escapeLines(block.trimEnd()).flatMap((line) => wrap(line, WIDTH - 6, 2))
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
  const [first = '', ...rest] = wrap(escapeTerminal(text), WIDTH - 4 - VERB_WIDTH)
  const lead = `    ${paint(style, verb.padEnd(VERB_WIDTH))}`
  return [`${lead}${first}`, ...rest.map((line) => ' '.repeat(4 + VERB_WIDTH) + line)].join('\n')
}

function remark(text: string): string {
  return indent(text, 4 + VERB_WIDTH, 4 + VERB_WIDTH, 'dim')
}

function indent(text: string, first: number, others: number, style?: Style): string {
  return wrap(escapeTerminal(text), WIDTH - others)
    .map((line, i) => ' '.repeat(i === 0 ? first : others) + (style ? paint(style, line) : line))
    .join('\n')
}

function escapeLines(text: string): string[] {
  return text.split('\n').map(escapeTerminal)
}

/** Breaks lines between words. `hanging` is the indentation of all lines but the first. */
function wrap(text: string, room: number, hanging = 0): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= room || line.trim() === '') line = longer
    else {
      lines.push(line)
      line = ' '.repeat(hanging) + word
    }
  }
  return [...lines, line]
}
