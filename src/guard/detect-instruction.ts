import { INSTRUCTION_SIGNALS } from './instruction-signals.ts'

/** A long text has a few weak signals by chance, so it needs more of them. Lengths in characters. */
const LONG_TEXT = 400
const ENOUGH = 2
const ENOUGH_IN_LONG_TEXT = 4

/**
 * Whether a text reads as a command to its reader. A heuristic: a flagged text is stored with less trust, and shown
 * as flagged. The reasons name kinds, and never repeat the text.
 */
export function detectInstruction(text: string): { flagged: boolean; reasons: string[] } {
  const met = INSTRUCTION_SIGNALS.filter((signal) => signal.pattern.test(text))
  const weight = met.reduce((sum, signal) => sum + signal.weight, 0)
  const enough = text.length < LONG_TEXT ? ENOUGH : ENOUGH_IN_LONG_TEXT
  const flagged = weight >= enough || met.some((signal) => signal.weight === ENOUGH)
  return { flagged, reasons: flagged ? [...new Set(met.map((signal) => signal.reason))] : [] }
}
