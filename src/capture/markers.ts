import { OPERATIONAL_CATEGORIES, type OperationalCategory } from '../model/categories.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import {
  type Captured,
  extracted,
  type Finding,
  type LineScanner,
  MAX_OBSERVATION_LENGTH,
  refused,
  scanText,
} from './captured.ts'
import { takeDeclaration } from './declared-relation.ts'
import { detach, isVisibleText } from './excerpt.ts'
import { FenceTracker, splitLines } from './fence.ts'
import { isRecordingExample } from './recording-example.ts'

/**
 * The published marker: category, optional service, observation. Applied to one line at a time. `(.+)` takes the rest
 * of the line, so a second marker on the same line is part of the first one's text and not a second memory.
 */
export const MARKER_PATTERN = new RegExp(
  String.raw`\[MEMORY:(${OPERATIONAL_CATEGORIES.join('|')})(?::([a-zA-Z0-9_-]+))?\]\s*(.+)`,
)

/** A marker that is written wrongly. Bounded, so that matching stays linear on a line full of openings. */
const NEAR_MARKER = /\[MEMORY:([^\][:]{0,64})(?::([^\][]{0,64}))?\]/

const NONE: Finding[] = []

/** The markers of an assistant text, and those that were refused, each with its line. */
export function captureMarkers(text: string): Captured {
  return mayHoldMarker(text) ? scanText(text, new MarkerScanner()) : { candidates: [], refusals: [] }
}

export function mayHoldMarker(text: string): boolean {
  return text.includes('[MEMORY:')
}

/** A text without its markers: a line that is one is gone, and a line that ends with one ends before it. */
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

/** Reads one text line by line and tracks fenced code. */
export class MarkerScanner implements LineScanner {
  readonly #fence = new FenceTracker()

  scan(line: string): Finding[] {
    const code = this.#fence.isCode(line)
    if (!mayHoldMarker(line)) return NONE
    const match = MARKER_PATTERN.exec(line)
    if (code) {
      // A marker in a code block explains the format and is not a memory.
      const shown = match !== null || NEAR_MARKER.test(line)
      return shown ? [refused('The marker is inside fenced code: an example, not a memory.', line)] : NONE
    }
    if (match === null) return nearMiss(line)
    return [...nearMiss(line.slice(0, match.index)), markerFinding(line, match)]
  }
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
  if (!isVisibleText(observation)) return refused('The marker has no observation.', marker)
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
 * Removes emphasis or code marks around the whole marker. Null when the marker is inline code within a longer line.
 */
function unwrap(before: string, observation: string): string | null {
  const insideCode = (before.split('`').length - 1) % 2 === 1 && observation.includes('`')
  if (insideCode) {
    const whole = /^[\s>*+-]*`$/.test(before) && observation.indexOf('`') === observation.length - 1
    return whole ? observation.slice(0, -1).trimEnd() : null
  }
  const mark = ['**', '__', '*', '_'].find((each) => before.endsWith(each) && observation.endsWith(each))
  return mark === undefined ? observation : observation.slice(0, -mark.length).trimEnd()
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
  return [refused('The marker has no observation.', marker)]
}
