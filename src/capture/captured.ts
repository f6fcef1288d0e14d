import type { Candidate } from '../model/candidate.ts'

/** What capture refused, and why. Both texts may repeat what the agent wrote, secrets included. */
export interface RawRefusal {
  reason: string
  /** The beginning of the refused text, at most 1,024 characters. */
  text: string
  /** The line of the input it came from, counted from 1, where there is one. */
  line?: number
}

/** What was found in one piece of text. Candidates and refusals are separate: a bad entry never costs a good one. */
export interface Captured {
  candidates: Candidate[]
  refusals: RawRefusal[]
}

/** One candidate or refusal, in the order of the text. */
export type Finding = { candidate: Candidate } | { refusal: RawRefusal }

/** Characters. A longer text is not a single observation. A store may allow less. */
export const MAX_OBSERVATION_LENGTH = 8_192

export function sortFindings(findings: Iterable<Finding>): Captured {
  const captured: Captured = { candidates: [], refusals: [] }
  for (const finding of findings) {
    if ('candidate' in finding) captured.candidates.push(finding.candidate)
    else captured.refusals.push(finding.refusal)
  }
  return captured
}
