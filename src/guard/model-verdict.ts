import { isAboutWork } from './about-work.ts'
import type { PoisonVerdict } from './detect-poison.ts'
import { explainFlags } from './explain-flags.ts'
import type { PoisonModel } from './poison-model.ts'

/**
 * From here on a text is shown as unverified, and from the next on it is held until an operator accepts it: an honest note that is held is
 * never found, so only what is nearly certain is. Chosen on other writers' poisons with their honest twins and on ordinary memories that
 * the words had not seen: decision 18.
 */
export const SUSPECTED_FROM = 0.68
const HELD_FROM = 0.9526

/**
 * Adds the model's verdict to that of the rules: content it takes for a poison is marked, and held where it is nearly certain. It is not
 * asked about content that is already held, or that is unlike what it was trained on.
 */
export async function addModelVerdicts<Verdict extends PoisonVerdict>(
  verdicts: readonly Verdict[],
  contentOf: (verdict: Verdict) => string,
  model: PoisonModel,
): Promise<Verdict[]> {
  const open = verdicts.filter((verdict) => !verdict.quarantine && isAboutWork(contentOf(verdict)))
  const likely = await model.judge(open.map(contentOf))
  const answers = new Map(open.map((verdict, i) => [verdict, likely[i]!]))
  return verdicts.map((verdict) => withAnswer(verdict, answers.get(verdict) ?? 0))
}

function withAnswer<Verdict extends PoisonVerdict>(verdict: Verdict, likely: number): Verdict {
  if (likely < SUSPECTED_FROM) return verdict
  const flags = [...verdict.flags, 'poison']
  return { ...verdict, flags, quarantine: likely >= HELD_FROM, reasons: explainFlags(flags) }
}
