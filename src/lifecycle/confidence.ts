import { ACTIVE_CONFIDENCE, clampConfidence } from '../model/memory.ts'

/** What saying a thing again adds to it. */
const REINFORCEMENT = 0.1
/** What being contradicted takes away. */
export const CONTRADICTION = 0.2

export interface Standing {
  confidence: number
  active: boolean
}

/** Brings a confidence into range, whoever set it. From 0.3 on it is active, so raising an inactive memory brings it back. */
export function standingOf(confidence: number): Standing {
  const clamped = clampConfidence(confidence)
  return { confidence: clamped, active: clamped >= ACTIVE_CONFIDENCE }
}

/** After the same was observed again: at most 1. */
export function reinforce(confidence: number): number {
  return clampConfidence(confidence + REINFORCEMENT)
}

/** After the opposite was observed: inactive below 0.3, unless it is not to fall below the line. */
export function weaken(confidence: number, { stays = false } = {}): Standing {
  const least = stays ? Math.min(confidence, ACTIVE_CONFIDENCE) : 0
  return standingOf(Math.max(confidence - CONTRADICTION, least))
}
