import { OPERATIONAL_CATEGORIES, type OperationalCategory } from '../model/categories.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import { extracted, type Finding, MAX_OBSERVATION_LENGTH, refused } from './captured.ts'
import { takeDeclaration } from './declared-relation.ts'
import { detach, isVisibleText } from './excerpt.ts'
import { splitLines } from './fence.ts'
import { isRecordingExample } from './recording-example.ts'

/**
 * The published marker: category, optional service, observation. Applied to one line at a time. `(.+)` takes the rest
 * of the line, so a second marker on the same line is part of the first one's text and not a second memory.
 */
export const MARKER_PATTERN = new RegExp(
  String.raw`\[MEMORY:(${OPERATIONAL_CATEGORIES.join('|')})(?::([a-zA-Z0-9_-]+))?\]\s*(.+)`,
)

/** A misspelled marker. Bounded, so that matching stays linear on a line full of opening brackets. */
const NEAR_MARKER = /\[MEMORY:([^\][:]{0,64})(?::([^\][]{0,64}))?\]/

const NONE: Finding[] = []

export function mayHoldMarker(text: string): boolean {
  return text.includes('[MEMORY:')
}

/** A key with a string that is still open at a marker: JSON over several lines, or a printed Python object. */
const IN_STRING = /(?:"[\w-]+"\s*:\s*|'[\w-]+'\s*:\s*|\b\w+=)(["'])(?:\\.|(?!\1)[^\\])*?\[MEMORY:/

export function isInPrintedData(line: string): boolean {
  return mayHoldMarker(line) && IN_STRING.test(line)
}

/** A text without its markers: marker lines are removed, and a line that ends with a marker is cut before it. */
export function withoutMarkers(text: string): string {
  if (!mayHoldMarker(text)) return text
  return splitLines(text)
    .flatMap((line) => {
      const at = line.search(NEAR_MARKER)
      if (at < 0) return line
      const before = line.slice(0, at).replace(/[\s>*+_`-]+$/, '')
      return before === '' ? [] : before
    })
    .join('\n')
}

const NO_OBSERVATION = 'The marker has no observation.'

/** The markers of one line of text, or of one table cell. */
export function markersOf(line: string): Finding[] {
  const match = MARKER_PATTERN.exec(line)
  if (match === null) return nearMiss(line)
  return [...nearMiss(line.slice(0, match.index)), markerFinding(line, match)]
}

export function holdsMarker(line: string): boolean {
  return mayHoldMarker(line) && (MARKER_PATTERN.test(line) || NEAR_MARKER.test(line))
}

function markerFinding(line: string, match: RegExpExecArray): Finding {
  const marker = line.slice(match.index)
  const observation = unwrap(line.slice(0, match.index), (match[3] ?? '').trim())
  if (observation === null) return refused('The marker is quoted as inline code: an example, not a memory.', marker)
  if (isRecordingExample(`${marker.slice(0, marker.indexOf(']') + 1)} ${observation}`)) {
    return refused('The marker is an example of the recording instructions.', marker)
  }
  if (observation.length > MAX_OBSERVATION_LENGTH) {
    const limit = MAX_OBSERVATION_LENGTH.toLocaleString('en')
    return refused(
      `The observation has ${observation.length.toLocaleString('en')} characters; at most ${limit}.`,
      marker,
    )
  }
  if (!isVisibleText(observation)) return refused(NO_OBSERVATION, marker)
  if (/^(<[^<>]*>|\.{3}|…)$/.test(observation)) return refused('The observation is a placeholder.', marker)
  const { content, declares, quotes } = takeDeclaration(detach(observation))
  if (!isVisibleText(content))
    return refused('The observation says what was believed, but not what is true now.', marker)
  const service = match[2] === undefined ? null : detach(match[2])
  const category = match[1] as OperationalCategory
  return {
    candidate: extracted({ content, category, service, metadata: { ...quotes }, ...withoutUndefined({ declares }) }),
  }
}

/**
 * Removes emphasis around the whole marker. Null if the marker is inline code, which only shows the format.
 */
function unwrap(before: string, observation: string): string | null {
  const code = openCode(before)
  if (code !== null && ticksOf(observation).includes(code)) return null
  const quoted = /[“"]$/.test(before) && /[”"]$/.test(observation)
  if (quoted) return observation.slice(0, -1).trimEnd()
  const marks = ['***', '**', '__', '*', '_'].filter((each) => before.endsWith(each))
  const head = marks.find((each) => observation.startsWith(each))
  // In `**[MEMORY:timing]** text` only the marker is emphasized.
  if (head !== undefined) return observation.slice(head.length).replace(/^[:\s]+/, '')
  const mark = marks.find((each) => observation.endsWith(each))
  return mark === undefined ? observation : observation.slice(0, -mark.length).trimEnd()
}

/** The backticks of inline code that is still open at the end. */
function openCode(text: string): string | null {
  let open: string | null = null
  for (const ticks of ticksOf(text)) {
    if (open === null) open = ticks
    else if (open === ticks) open = null
  }
  return open
}

function ticksOf(text: string): string[] {
  return text.match(/`+/g) ?? []
}

function nearMiss(line: string): Finding[] {
  const match = NEAR_MARKER.exec(line)
  if (match === null) return NONE
  const [, category = '', service] = match
  const marker = line.slice(match.index)
  if (!OPERATIONAL_CATEGORIES.includes(category as OperationalCategory)) {
    return [refused(`Unknown category "${category}"; valid are ${OPERATIONAL_CATEGORIES.join(', ')}.`, marker)]
  }
  if (service !== undefined && !/^[a-zA-Z0-9_-]+$/.test(service)) {
    return [refused(`Invalid service name "${service}"; letters, digits, - and _ only.`, marker)]
  }
  return [refused(NO_OBSERVATION, marker)]
}
