import { ACTIVE_CONFIDENCE, clampConfidence } from '../model/memory.ts'

/** Confidence added by a repetition. */
const REINFORCEMENT = 0.1
/** Confidence removed by a contradiction. */
export const CONTRADICTION = 0.2

export interface Standing {
  confidence: number
  active: boolean
}

/** Clamps a confidence. From 0.3 up it is active, so raising an inactive memory reactivates it. */
export function standingOf(confidence: number): Standing {
  const clamped = clampConfidence(confidence)
  return { confidence: clamped, active: clamped >= ACTIVE_CONFIDENCE }
}

/** The confidence after a repetition: at most 1. */
export function reinforce(confidence: number): number {
  return clampConfidence(confidence + REINFORCEMENT)
}

/** The confidence after a contradiction: inactive below 0.3, unless it must stay active. */
export function weaken(confidence: number, { stays = false } = {}): Standing {
  const least = stays ? Math.min(confidence, ACTIVE_CONFIDENCE) : 0
  return standingOf(Math.max(confidence - CONTRADICTION, least))
}
