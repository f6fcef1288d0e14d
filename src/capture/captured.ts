import type { Candidate, Refusal } from '../model/candidate.ts'

/** What one piece of text gave: the good and the refused side by side, so that a bad entry never costs a good one. */
export interface Captured {
  candidates: Candidate[]
  refusals: Refusal[]
}

/** One thing found, in the order of the text. */
export type Finding = { candidate: Candidate } | { refusal: Refusal }

/** Longer than this is no single observation. Characters; a provider may allow less. */
export const MAX_OBSERVATION_LENGTH = 8_192

export const DEFAULT_MAX_SUMMARY_LENGTH = 800

export function sortFindings(findings: Iterable<Finding>): Captured {
  const captured: Captured = { candidates: [], refusals: [] }
  for (const finding of findings) {
    if ('candidate' in finding) captured.candidates.push(finding.candidate)
    else captured.refusals.push(finding.refusal)
  }
  return captured
}
