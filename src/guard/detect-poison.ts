import { explainFlags } from './explain-flags.ts'
import { INSTRUCTION_SIGNALS } from './instruction-signals.ts'
import { POISON_SIGNALS } from './poison-signals.ts'
import { met, type Signal } from './signal.ts'

export interface PoisonVerdict {
  /** Kinds of signals found: names only, never parts of the text. Empty: no objection. */
  flags: string[]
  /** Reads as an order, a claimed approval, a request to weaken a check, or fetch-and-run: hidden from agents until accepted. */
  quarantine: boolean
  /** The same in words for the operator who decides, one sentence per flag. */
  reasons: string[]
}

/** General signals that mean an order to the reader; the others (a wish, a style of reply) only lower the trust. */
const ORDERS: ReadonlySet<string> = new Set([
  'override',
  'role',
  'prompt-leak',
  'conceal',
  'exfiltrate',
  'authority',
  'run',
])

/** A long text contains a few weak signals by chance, so it needs more of them. Lengths in characters. */
const LONG_TEXT = 400
const ENOUGH = 2
const ENOUGH_IN_LONG_TEXT = 4

/** Judges a text to be remembered. A heuristic based on words, which an attacker who knows them can avoid. Pure. */
export function detectPoison(text: string): PoisonVerdict {
  const poison = met(POISON_SIGNALS, text)
  const general = met(INSTRUCTION_SIGNALS, text)
  const quarantine = isEnough(poison, text) || general.some(({ weight, kind }) => weight === ENOUGH && ORDERS.has(kind))
  const flagged = quarantine || isEnough(general, text)
  const flags = flagged ? [...new Set([...poison, ...general].map(({ kind }) => kind))] : []
  return { flags, quarantine, reasons: explainFlags(flags) }
}

/** The kinds of signals that hold a text by themselves, without hints beside them. */
export function groundsOf(text: string): string[] {
  const alone = (signals: readonly Signal[]) => met(signals, text).filter(({ weight }) => weight === ENOUGH)
  const general = alone(INSTRUCTION_SIGNALS).filter(({ kind }) => ORDERS.has(kind))
  return [...new Set([...alone(POISON_SIGNALS), ...general].map(({ kind }) => kind))]
}

/** Why a text that may give orders, such as a personality, is still suspicious: it orders something harmful. */
export function weakensGuard(text: string): string[] {
  const poison = met(POISON_SIGNALS, text).filter(({ kind }) => !HARMLESS_ORDERS.has(kind))
  return isEnough(poison, text) ? explainFlags([...new Set(poison.map(({ kind }) => kind))]) : []
}

/** What a personality may say, but a memory may not. */
const HARMLESS_ORDERS: ReadonlySet<string> = new Set(['insist', 'promote'])

function isEnough(signals: readonly Pick<Signal, 'weight'>[], text: string): boolean {
  const weight = signals.reduce((sum, signal) => sum + signal.weight, 0)
  return (
    signals.some((signal) => signal.weight === ENOUGH) ||
    weight >= (text.length < LONG_TEXT ? ENOUGH : ENOUGH_IN_LONG_TEXT)
  )
}
