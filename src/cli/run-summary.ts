import type { RunReport } from '../agents/run/run-report.ts'
import { shortenAtWord } from '../text/shorten.ts'
import { countOf, paint, type Style, writeError } from './output.ts'
import { shell } from './shell.ts'

/** Maximum characters of a memory, and maximum lines. `list`, `review` and --json show more. */
const MOST_TEXT = 100
const MOST_LINES = 12
const MOST_SHOWN = 3

interface Line {
  label: string
  style: Style
  text: string
}

export function tellSummary(report: RunReport): void {
  const lines = [...shownLine(report), ...report.outcomes.flatMap(outcomeLine), ...countLines(report)]
  const { stderr } = shell()
  const told = lines.length > MOST_LINES ? lines.slice(0, MOST_LINES - 1) : lines
  for (const { label, style, text } of told) {
    writeError(`${paint('dim', 'nokosu:', stderr)} ${paint(style, label.padEnd(10), stderr)} ${text}\n`)
  }
  const more = lines.length - told.length
  if (more > 0) writeError(`${paint('dim', `nokosu: and ${more} more; --json has all of them.`, stderr)}\n`)
}

type Shown = RunReport['shownMemories'][number]

function shownLine({ shownMemories, offeredMemories }: RunReport): Line[] {
  const groups = Map.groupBy(shownMemories, (memory) => ('moment' in memory ? memory.moment : null))
  const offered = offeredMemories.length === 0 ? [] : [shownAs('offered', offeredMemories, null)]
  return [...offered, ...[...groups].map(([moment, memories]) => shownAs('shown', memories, moment))]
}

function shownAs(label: 'shown' | 'offered', memories: readonly Shown[], moment: string | null): Line {
  const texts = memories.slice(0, MOST_SHOWN).map(({ content }) => shortenAtWord(content, MOST_TEXT / 2))
  const more = memories.length - texts.length
  const list = `${texts.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
  const them = memories.length === 1 ? 'it' : 'them'
  const unsure = label === 'offered' ? `, and nothing shows that the agent read ${them}` : ''
  const count = countOf(memories.length, 'memory', 'memories')
  return { label, style: 'dim', text: `${count}${moment === null ? '' : ` ${moment}`}${unsure}: ${list}` }
}

/** Known and refused observations are only counted: the former change nothing, and a warning names the latter. */
function outcomeLine(told: RunReport['outcomes'][number]): Line[] {
  const { kind, held, corrects, confidence } = told
  const text = `${told.service === null ? '' : `${told.service}: `}${shortenAtWord(told.content, MOST_TEXT)}`
  const was =
    corrects.length === 0 ? '' : ` (was: ${corrects.map((each) => shortenAtWord(each, MOST_TEXT)).join('; ')})`
  if (held)
    return [{ label: 'held', style: 'yellow', text: `${text} (no agent sees it until 'nokosu review' accepts it)` }]
  if (kind === 'insert') return [{ label: 'remembered', style: 'green', text }]
  if (kind === 'contradict') return [{ label: 'corrected', style: 'yellow', text: `${text}${was}` }]
  if (kind === 'reinforce') return [{ label: 'reinforced', style: 'green', text: `${text} (now ${confidence})${was}` }]
  return []
}

function countLines({ outcomes, refusals, spooled }: RunReport): Line[] {
  const known = outcomes.filter(({ kind }) => kind === 'duplicate').length
  const refused = refusals.length + outcomes.filter(({ kind }) => kind === 'refuse').length
  return [
    ...(known === 0
      ? []
      : [{ label: 'known', style: 'dim', text: `${known} already known, nothing changed` } as const]),
    ...(refused === 0
      ? []
      : [{ label: 'refused', style: 'yellow', text: `${refused}, for the reasons above` } as const]),
    ...(spooled === 0 ? [] : [{ label: 'waiting', style: 'yellow', text: `${spooled} in the spool` } as const]),
  ]
}
