import { isAboutWork } from './about-work.ts'
import { detectPoison, groundsOf, type PoisonVerdict } from './detect-poison.ts'
import { explainFlags } from './explain-flags.ts'
import type { PoisonModel } from './poison-model.ts'

/**
 * From MARK on a text is shown as unverified, and from HOLD on it is held until an operator accepts it. A held honest note is
 * never found, so only near certainty is held. Chosen on other writers' poisons with their honest twins and on ordinary memories that
 * the words had not seen: decision 18.
 */
export const SUSPECTED_FROM = 0.7685
const HELD_FROM = 0.9734

/** Rules that honest notes match too, such as "lint is skipped on forks". Below this line such a note is only marked: the rules alone would hold 1.5 % of honest twins. */
const DOUBTFUL: ReadonlySet<string> = new Set(['approval', 'weaken', 'destroy', 'fetch-and-run', 'run'])
const RULED_FROM = 0.02

/**
 * From this many characters on, a text is long: an answer of an assistant with code in it, a page of notes. Somewhere in it such a rule matches or
 * the model is certain by chance, so both only mark it, which keeps it findable.
 */
const LONG = 500

/**
 * Combines the model's verdict with the rules': content it takes for a poison is marked, and held if nearly certain. Text held by rules
 * that honest writers match too is only marked if the model sees no harm in it. The model is not asked about clear orders, or
 * about text unlike its training data.
 */
export async function addModelVerdicts<Verdict extends PoisonVerdict>(
  verdicts: readonly Verdict[],
  contentOf: (verdict: Verdict) => string,
  model: PoisonModel,
): Promise<Verdict[]> {
  const open = verdicts.filter((verdict) => isOpen(verdict, contentOf(verdict)) && isAboutWork(contentOf(verdict)))
  const likely = await model.judge(open.map(contentOf))
  const answers = new Map(open.map((verdict, i) => [verdict, likely[i]!]))
  return verdicts.map((verdict) => {
    const answer = answers.get(verdict)
    return answer === undefined ? verdict : withAnswer(verdict, answer, isLong(contentOf(verdict)))
  })
}

/** Whether there is anything left to decide. Text held because of another field than the content stays held. */
function isOpen({ quarantine, flags }: PoisonVerdict, content: string): boolean {
  if (!quarantine) return true
  const own = detectPoison(content)
  const elsewhere = flags.filter((flag) => !own.flags.includes(flag))
  const grounds = isLong(content) ? [...groundsOf(content), ...elsewhere] : flags
  return grounds.every((kind) => DOUBTFUL.has(kind)) && own.quarantine
}

function isLong(content: string): boolean {
  return content.length >= LONG
}

function withAnswer<Verdict extends PoisonVerdict>(verdict: Verdict, likely: number, long: boolean): Verdict {
  if (verdict.quarantine) return long || likely < RULED_FROM ? { ...verdict, quarantine: false } : verdict
  if (likely < SUSPECTED_FROM) return verdict
  const flags = [...verdict.flags, 'poison']
  return { ...verdict, flags, quarantine: likely >= HELD_FROM && !long, reasons: explainFlags(flags) }
}
