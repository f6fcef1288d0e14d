import { breathe } from '../model/breathe.ts'
import type { Candidate } from '../model/candidate.ts'
import { LineSplitter } from '../text/lines.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import type { Finding } from './captured.ts'
import { type RawRefusal, refuse } from './excerpt.ts'
import { splitLines } from './fence.ts'
import { HeadAndTail } from './head-and-tail.ts'
import { bearOut, type ShownLesson } from './lessons/bear-out.ts'
import { findLessons } from './lessons/find-lessons.ts'
import { tellLesson } from './lessons/tell-lesson.ts'
import { MarkerScanner } from './marker-scanner.ts'
import { mayHoldMarker } from './markers.ts'
import type { OutputEvent, Step } from './output-event.ts'
import { type OutputFormat, readOutput } from './read-output.ts'
import { mayHoldSuggestions, SuggestionScanner } from './suggestions.ts'
import { type ShownAt, Work } from './use/work.ts'

export interface CaptureSession {
  sessionId: string
  model?: string
  cwd?: string
}

export interface CaptureOptions {
  format: OutputFormat
  /** Whether `## MEMORY_SUGGESTIONS` blocks are read. Default false. */
  suggestions?: boolean
  maxSummaryLength?: number
  /** Whether to draw lessons from tool calls that failed and later worked. Default false. */
  lessons?: boolean
  /** The prompt, where the output does not repeat it: acting on its words is no use of a memory. */
  told?: string
  /** Called at once for every accepted candidate. It is not awaited, so a slow store cannot delay the run. */
  onCandidate?: (candidate: Candidate, session: CaptureSession | null) => void
}

export interface CaptureResult {
  candidates: Candidate[]
  /** The first 200; `refusalCount` counts all. */
  refusals: RawRefusal[]
  refusalCount: number
  warnings: string[]
  session: CaptureSession | null
  /** Transcripts only: the person's first prompt. */
  prompt: string | null
  /** How the run ended, if it said so. The last result, if there were several turns. */
  outcome: { isError: boolean; subtype: string; result: string | null } | null
  /** The beginning and the end of what the assistant said. */
  assistantText: string
  /** What it did with the memories it was shown: those it acted on, and confirmations of lessons that it followed successfully. */
  made(shown: readonly (ShownAt & ShownLesson)[]): { used: string[]; confirmed: Candidate[] }
  bytes: number
  lines: number
}

/** Maximum candidates of one session. A warning counts the rest. */
const MAX_CANDIDATES = 200
/** Characters of `assistantText`. */
const MAX_ASSISTANT_TEXT = 32_768
const MAX_REFUSALS = 200
/** Maximum tool calls kept for learning: the last ones. */
const MAX_STEPS = 1_000
/** Maximum lessons of one session. A session that fails more often than that has little to teach. */
const MAX_LESSONS = 5

/**
 * Reads a run's output to its end and collects the memories in it. Memory use is bounded. If the source breaks off, the
 * capture ends with a warning and keeps what came before.
 */
export async function captureStream(
  source: AsyncIterable<Uint8Array>,
  options: CaptureOptions,
): Promise<CaptureResult> {
  const collector = new Collector(options)
  const splitter = new LineSplitter()
  const whole = untilBroken(source, (reason) => collector.warn(reason))
  for await (const event of readOutput(whole, options.format, splitter)) {
    await breathe()
    collector.take(event)
  }
  return { ...collector.finish(), bytes: splitter.bytes, lines: splitter.lines }
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
  readonly #text = new HeadAndTail(MAX_ASSISTANT_TEXT)
  /** Plain text is read as one text, because code blocks and suggestions span many lines. */
  readonly #running: TextScanner
  readonly #known = new Set<string>()
  readonly #candidates: Candidate[] = []
  readonly #refusals: RawRefusal[] = []
  readonly #warnings: string[] = []
  readonly #work = new Work()
  readonly #steps: Step[] = []
  #refusalCount = 0
  #leftOut = 0
  #session: CaptureSession | null = null
  #prompt: string | null = null
  #outcome: CaptureResult['outcome'] = null

  constructor(options: CaptureOptions) {
    this.#options = options
    this.#running = new TextScanner(options)
    if (options.told !== undefined) this.#work.told(options.told)
  }

  warn(reason: string): void {
    this.#warnings.push(refuse(reason, '').reason)
  }

  take(event: OutputEvent): void {
    if (event.kind === 'text') this.#takeText(event)
    else if (event.kind === 'reported') this.#takeReport(event)
    else if (event.kind === 'step') this.#takeStep(event.step)
    else if (event.kind === 'refusal') this.#refuse(event.refusal)
    else if (event.kind === 'told') this.#work.told(event.text)
    else if (event.kind === 'asked') this.#prompt ??= event.text
    else if (event.kind === 'did') this.#work.did(event.tool, event.input, event.at)
    else if (event.kind === 'said') this.#work.said(event.text, event.at)
    else if (event.kind === 'session') this.#takeSession(event)
    else this.#outcome = { isError: event.isError, subtype: event.subtype, result: event.result }
  }

  finish(): Omit<CaptureResult, 'bytes' | 'lines'> {
    for (const finding of this.#running.end()) this.#takeFinding(finding)
    for (const lesson of findLessons(this.#steps).slice(0, MAX_LESSONS))
      this.#takeFinding({ candidate: tellLesson(lesson) })
    if (this.#leftOut > 0) {
      const more = this.#leftOut.toLocaleString('en')
      this.warn(`Only the first ${MAX_CANDIDATES} memories of the session were kept; ${more} more were left out.`)
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
      prompt: this.#prompt,
      outcome: this.#outcome,
      assistantText: this.#text.toString(),
      made: (shown) => {
        const confirmed = bearOut(this.#steps, shown)
        const followed = confirmed.flatMap(({ declares }) => declares?.memory ?? [])
        return { used: [...new Set([...this.#work.uses(shown), ...followed])], confirmed }
      },
    }
  }

  #takeStep(step: Step): void {
    if (!this.#options.lessons) return
    this.#steps.push(step)
    if (this.#steps.length > MAX_STEPS) this.#steps.shift()
  }

  #takeText({ text, line, isLine }: OutputEvent & { kind: 'text' }): void {
    this.#text.add(`${text}\n`)
    if (isLine) {
      for (const finding of this.#running.scan(text, line)) {
        const own = 'refusal' in finding ? finding.refusal.line : undefined
        this.#takeFinding(finding, own ?? line)
      }
      return
    }
    if (!mayHoldMarker(text) && !(this.#options.suggestions && mayHoldSuggestions(text))) return
    const scanner = new TextScanner(this.#options)
    for (const finding of [...scanner.scan(text), ...scanner.end()]) this.#takeFinding(finding, line)
  }

  /** From a subagent only markers count, with its name. */
  #takeReport({ text, author, line }: OutputEvent & { kind: 'reported' }): void {
    if (!mayHoldMarker(text)) return
    const scanner = new MarkerScanner()
    for (const finding of [...splitLines(text).flatMap((each) => scanner.scan(each)), ...scanner.end()]) {
      if ('refusal' in finding) this.#takeFinding(finding, line)
      else {
        const { candidate } = finding
        this.#takeFinding({ candidate: { ...candidate, metadata: { ...candidate.metadata, author } } })
      }
    }
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
    } else if (this.#candidates.length >= MAX_CANDIDATES) {
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

/** Finds the markers of one text, and its suggestions if enabled. */
class TextScanner {
  readonly #markers = new MarkerScanner()
  readonly #suggestions: SuggestionScanner | null

  constructor({ suggestions, maxSummaryLength }: CaptureOptions) {
    this.#suggestions = suggestions ? new SuggestionScanner(withoutUndefined({ maxSummaryLength })) : null
  }

  /** `at`: the line of the input, if the text is a single line. */
  *scan(text: string, at?: number): Generator<Finding> {
    for (const line of splitLines(text)) {
      yield* this.#markers.scan(line, at)
      if (this.#suggestions !== null) yield* this.#suggestions.scan(line)
    }
  }

  end(): Finding[] {
    return [...this.#markers.end(), ...(this.#suggestions?.end() ?? [])]
  }
}
