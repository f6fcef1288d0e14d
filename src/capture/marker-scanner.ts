import { OPERATIONAL_CATEGORIES } from '../model/categories.ts'
import { type Captured, type Finding, type LineScanner, refused, scanText } from './captured.ts'
import { detach, isVisibleText } from './excerpt.ts'
import { FenceTracker } from './fence.ts'
import { holdsMarker, markersOf, mayHoldMarker } from './markers.ts'

/** The markers of an assistant text, and refused ones, each with its line. */
export function captureMarkers(text: string): Captured {
  return mayHoldMarker(text) ? scanText(text, new MarkerScanner()) : { candidates: [], refusals: [] }
}

interface Held {
  text: string
  line: number | undefined
}

const MARK = String.raw`\[MEMORY:(?:${OPERATIONAL_CATEGORIES.join('|')})(?::[a-zA-Z0-9_-]+)?\]`
/** A quotation or list item. */
const LEAD = String.raw`^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)?`
/** A marker with nothing after it on its line: the next line is its observation. */
const HEAD = new RegExp(String.raw`${LEAD}(\*\*\*|\*\*|__|\*|_|)(${MARK})\1:?\s*$`)
/** A line that starts with a marker. */
const BARE = new RegExp(String.raw`${LEAD}\[MEMORY:`)
/** Headings, table rows and rules are not observations. */
const NO_SENTENCE = /^\s*(?:#|\||[-*_=]{3,}\s*$)/
const ROW = /^\s*\|.*\|\s*$/
/** Before a code block: says that an example follows. */
const EXPLAINS = /\b(?:format|syntax|example|template|placeholder|like (?:this|so))\b/i
/** Markers of one code block, kept until it ends. */
const MOST_HELD = 200

/**
 * Finds markers in a text that arrives line by line, in every form agents use: on a line, in bold, in a table
 * cell, with the observation on the next line, and in a code block that holds nothing else and is not introduced as an example. In
 * other code a marker only explains the format.
 */
export class MarkerScanner implements LineScanner {
  readonly #fence = new FenceTracker()
  #head: Held | null = null
  /** Markers in the open code block; null if it also holds something else. */
  #block: Held[] | null = null
  /** Whether the last non-empty line introduces an example. */
  #isExplained = false

  scan(text: string, line?: number): Finding[] {
    const wasOpen = this.#fence.isOpen
    if (this.#fence.isCode(text)) {
      const before = this.#endHead()
      if (!wasOpen) this.#block = this.#isExplained ? null : []
      else if (!this.#fence.isOpen) return this.#endBlock()
      else return this.#scanCode(text, line)
      return before
    }
    if (text.trim() !== '') this.#isExplained = EXPLAINS.test(text)
    if (this.#head === null && !mayHoldMarker(text)) return []
    const observed = this.#observed(text)
    return observed ?? [...this.#endHead(), ...this.#scanLine(text, line)]
  }

  /** Returns what was still open when the text ended. */
  end(): Finding[] {
    return [...this.#endHead(), ...this.#endBlock()]
  }

  #scanLine(text: string, line: number | undefined): Finding[] {
    if (!mayHoldMarker(text)) return []
    if (ROW.test(text)) return cellsOf(text).flatMap(markersOf)
    if (!HEAD.test(text)) return markersOf(text)
    this.#head = { text: detach(text), line }
    return []
  }

  /** Joins the previous line's marker with this line as its observation; null if they do not belong together. */
  #observed(text: string): Finding[] | null {
    if (this.#head === null || !isVisibleText(text) || mayHoldMarker(text) || NO_SENTENCE.test(text)) return null
    const marker = HEAD.exec(this.#head.text)![2]!
    this.#head = null
    return markersOf(`${marker} ${text.replace(new RegExp(LEAD), '')}`)
  }

  #endHead(): Finding[] {
    const head = this.#head
    this.#head = null
    return head === null ? [] : at(head, markersOf(head.text.trim().replace(/^[\s>*_+\d.)-]+|[*_:]+$/g, '')))
  }

  #scanCode(text: string, line: number | undefined): Finding[] {
    const held = this.#block
    if (held !== null && ((text.trim() !== '' && !BARE.test(text)) || held.length >= MOST_HELD)) {
      this.#block = null
      return [...held.flatMap(asExample), ...asExample({ text, line })]
    }
    if (held === null) return asExample({ text, line })
    if (text.trim() !== '') held.push({ text: detach(text), line })
    return []
  }

  #endBlock(): Finding[] {
    const held = this.#block ?? []
    this.#block = null
    return held.flatMap((each) => at(each, markersOf(each.text)))
  }
}

function asExample({ text, line }: Held): Finding[] {
  if (!holdsMarker(text)) return []
  return at({ text, line }, [
    refused(
      'The marker is inside fenced code that holds other text or shows the format: an example, not a memory.',
      text,
    ),
  ])
}

/** Refusals of a line already read. */
function at({ line }: Held, findings: Finding[]): Finding[] {
  if (line === undefined) return findings
  return findings.map((each) => ('refusal' in each ? { refusal: { ...each.refusal, line } } : each))
}

/** The cells of a table row. A marker alone in its cell has its observation in the next cell. */
function cellsOf(row: string): string[] {
  const cells = row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
  const texts = cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
  return texts.map((text, i) => {
    const head = HEAD.exec(text)
    return head === null ? text : `${head[2]} ${texts[i + 1] ?? ''}`.trim()
  })
}
