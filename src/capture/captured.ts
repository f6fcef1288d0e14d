import type { z } from 'zod'
import type { Candidate } from '../model/candidate.ts'
import { DEFAULT_IMPORTANCE } from '../model/memory.ts'
import { type RawRefusal, refuse } from './excerpt.ts'
import { splitLines } from './fence.ts'
import { withoutPrivate } from './private.ts'

/** What one piece of text contained. Candidates and refusals are separate: a bad entry never costs a good one. */
export interface Captured {
  candidates: Candidate[]
  refusals: RawRefusal[]
}

/** One candidate or refusal, in the order of the text. */
export type Finding = { candidate: Candidate } | { refusal: RawRefusal }

/** Characters. A longer text is not a single observation. Stores may allow less. */
export const MAX_OBSERVATION_LENGTH = 8_192

/** Finds memories in a text that arrives line by line. */
export interface LineScanner {
  /** `number`: the line, for refusals. */
  scan(line: string, number?: number): Finding[]
  /** Returns what was still open when the text ended. */
  end?(): Finding[]
}

/** Everything a scanner finds in one text, each refusal with its line. */
export function scanText(text: string, scanner: LineScanner): Captured {
  const captured: Captured = { candidates: [], refusals: [] }
  const lines = splitLines(withoutPrivate(text))
  const take = (finding: Finding, line: number) => {
    if ('candidate' in finding) captured.candidates.push(finding.candidate)
    else captured.refusals.push({ line, ...finding.refusal })
  }
  for (const [index, line] of lines.entries())
    for (const finding of scanner.scan(line, index + 1)) take(finding, index + 1)
  for (const finding of scanner.end?.() ?? []) take(finding, lines.length)
  return captured
}

/** A candidate from an agent's own words. Missing fields get defaults. */
export function extracted(said: Pick<Candidate, 'content' | 'category' | 'service'> & Partial<Candidate>): Candidate {
  return { source: 'extraction', tags: [], metadata: {}, anchor: null, importance: DEFAULT_IMPORTANCE, ...said }
}

export function refused(reason: string, text: string): Finding & { refusal: RawRefusal } {
  return { refusal: refuse(reason, text) }
}

/** A result with only a refusal for the whole text. */
export function refusedAll(reason: string, text: string): Captured {
  return { candidates: [], refusals: [refuse(reason, text)] }
}

/** A schema error in plain words. `whole` names the value itself. */
export function explainIssues({ issues }: z.ZodError, whole: string): string {
  return issues.map((issue) => `${issue.path.join('.') || whole}: ${issue.message}`).join('; ')
}
