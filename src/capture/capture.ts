import type { Candidate } from '../model/candidate.ts'
import type { Finding, RawRefusal } from './captured.ts'
import { refuse } from './excerpt.ts'
import { splitLines } from './fence.ts'
import { HeadAndTail } from './head-and-tail.ts'
import { MarkerScanner, mayHoldMarker } from './markers.ts'
import { type LineParser, type OutputEvent, type ReadOptions, readOutput, splitterFor } from './output-event.ts'
import { streamJsonParser } from './stream-json.ts'
import { mayHoldSuggestions, SuggestionScanner } from './suggestions.ts'
import { parseTextLine } from './text.ts'
import { transcriptParser } from './transcript.ts'

export type CaptureFormat = 'stream-json' | 'transcript' | 'text'

export interface CaptureSession {
  sessionId: string
  model?: string
  cwd?: string
}

export interface CaptureOptions extends ReadOptions {
  format: CaptureFormat
  /** Whether `## MEMORY_SUGGESTIONS` blocks are read. Default false. */
  suggestions?: boolean
  /** The most candidates of one session. A warning counts the rest. Default 200. */
  maxCandidates?: number
  maxSummaryLength?: number
  /** Characters of `assistantText`. Default 32,768. */
  maxAssistantText?: number
  /** Called at once for every candidate that is kept. Nobody waits for it, so a slow store cannot delay the run. */
  onCandidate?: (candidate: Candidate, session: CaptureSession | null) => void
}

export interface CaptureResult {
  candidates: Candidate[]
  /** The first 200; `refusalCount` counts all. */
  refusals: RawRefusal[]
  refusalCount: number
  warnings: string[]
  session: CaptureSession | null
  /** How the run ended, if it said so. With several turns: the last result. */
  outcome: { isError: boolean; subtype: string; result: string | null } | null
  /** The beginning and the end of what the assistant said. */
  assistantText: string
  bytes: number
  lines: number
}

const DEFAULT_MAX_CANDIDATES = 200
const DEFAULT_MAX_ASSISTANT_TEXT = 32_768
const MAX_REFUSALS = 200

/**
 * Reads a run's output to its end and collects the memories in it. Memory use is bounded. When the source breaks off, the
 * capture ends with a warning and keeps what came before.
 */
export async function captureStream(
  source: AsyncIterable<Uint8Array>,
  options: CaptureOptions,
): Promise<CaptureResult> {
  const collector = new Collector(options)
  const splitter = splitterFor(options)
  const whole = untilBroken(source, (reason) => collector.warn(reason))
  for await (const event of readOutput(whole, parserFor(options.format), splitter)) collector.take(event)
  return { ...collector.finish(), bytes: splitter.bytes, lines: splitter.lines }
}

function parserFor(format: CaptureFormat): LineParser {
  if (format === 'stream-json') return streamJsonParser()
  return format === 'transcript' ? transcriptParser() : parseTextLine
}

async function* untilBroken(source: AsyncIterable<Uint8Array>, tell: (reason: string) => void) {
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      let next: IteratorResult<Uint8Array>
      try {
        next = await iterator.next()
      } catch (error) {
        tell(`The stream broke off: ${error instanceof Error ? error.message : String(error)}`)
        return
      }
      if (next.done) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}

class Collector {
  readonly #options: CaptureOptions
  readonly #maxCandidates: number
  readonly #text: HeadAndTail
  /** Plain text is one text: its code blocks and suggestions span many events. */
  readonly #running: TextScanner | null
  readonly #known = new Set<string>()
  readonly #candidates: Candidate[] = []
  readonly #refusals: RawRefusal[] = []
  readonly #warnings: string[] = []
  #refusalCount = 0
  #leftOut = 0
  #session: CaptureSession | null = null
  #outcome: CaptureResult['outcome'] = null

  constructor(options: CaptureOptions) {
    this.#options = options
    this.#maxCandidates = options.maxCandidates ?? DEFAULT_MAX_CANDIDATES
    this.#text = new HeadAndTail(options.maxAssistantText ?? DEFAULT_MAX_ASSISTANT_TEXT)
    this.#running = options.format === 'text' ? new TextScanner(options) : null
  }

  warn(reason: string): void {
    this.#warnings.push(refuse(reason, '').reason)
  }

  take(event: OutputEvent): void {
    if (event.kind === 'text') this.#takeText(event.text, event.line)
    else if (event.kind === 'refusal') this.#refuse(event.refusal)
    else if (event.kind === 'session') this.#takeSession(event)
    else this.#outcome = { isError: event.isError, subtype: event.subtype, result: event.result }
  }

  finish(): Omit<CaptureResult, 'bytes' | 'lines'> {
    for (const finding of this.#running?.end() ?? []) this.#takeFinding(finding)
    if (this.#leftOut > 0) {
      const more = this.#leftOut.toLocaleString('en')
      this.warn(`Only the first ${this.#maxCandidates} memories of the session were kept; ${more} more were left out.`)
    }
    if (this.#refusalCount > MAX_REFUSALS) {
      this.warn(`${this.#refusalCount.toLocaleString('en')} refusals; only the first ${MAX_REFUSALS} are listed.`)
    }
    return {
      candidates: this.#candidates,
      refusals: this.#refusals,
      refusalCount: this.#refusalCount,
      warnings: this.#warnings,
      session: this.#session,
      outcome: this.#outcome,
      assistantText: this.#text.toString(),
    }
  }

  #takeText(text: string, line: number): void {
    this.#text.add(`${text}\n`)
    if (this.#running !== null) {
      for (const finding of this.#running.scan(text)) this.#takeFinding(finding, line)
      return
    }
    if (!mayHoldMarker(text) && !(this.#options.suggestions && mayHoldSuggestions(text))) return
    const scanner = new TextScanner(this.#options)
    for (const finding of scanner.scan(text)) this.#takeFinding(finding, line)
    for (const finding of scanner.end()) this.#takeFinding(finding, line)
  }

  #takeFinding(finding: Finding, line?: number): void {
    if ('refusal' in finding) {
      this.#refuse(line === undefined ? finding.refusal : { ...finding.refusal, line })
      return
    }
    const { candidate } = finding
    const { category, service, content, layer, declares } = candidate
    const key = JSON.stringify([category, service, content, layer ?? null, declares ?? null])
    if (this.#known.has(key)) {
      // Agents repeat their memories in a closing summary.
      this.#refuse(refuse('The same memory was already captured in this session.', content, line))
    } else if (this.#candidates.length >= this.#maxCandidates) {
      this.#leftOut++
    } else {
      this.#known.add(key)
      this.#candidates.push(candidate)
      this.#options.onCandidate?.(candidate, this.#session)
    }
  }

  #refuse(refusal: RawRefusal): void {
    this.#refusalCount++
    if (this.#refusals.length < MAX_REFUSALS) this.#refusals.push(refusal)
  }

  /** The first session is the run's own. Later events with the same id add to it. */
  #takeSession({ sessionId, model, cwd }: OutputEvent & { kind: 'session' }): void {
    if (this.#session === null) this.#session = { sessionId }
    if (this.#session.sessionId !== sessionId) return
    if (model !== undefined) this.#session.model = model
    if (cwd !== undefined) this.#session.cwd = cwd
  }
}

/** Finds the markers of one text, and its suggestions if wanted. */
class TextScanner {
  readonly #markers = new MarkerScanner()
  readonly #suggestions: SuggestionScanner | null

  constructor({ suggestions, maxSummaryLength }: CaptureOptions) {
    this.#suggestions = suggestions
      ? new SuggestionScanner(maxSummaryLength === undefined ? {} : { maxSummaryLength })
      : null
  }

  *scan(text: string): Generator<Finding> {
    for (const line of splitLines(text)) {
      yield* this.#markers.scan(line)
      if (this.#suggestions !== null) yield* this.#suggestions.scan(line)
    }
  }

  end(): Finding[] {
    return this.#suggestions?.end() ?? []
  }
}
