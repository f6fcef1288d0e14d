import { isAboutWork } from './about-work.ts'
import type { PoisonVerdict } from './detect-poison.ts'
import { explainFlags } from './explain-flags.ts'
import type { PoisonModel } from './poison-model.ts'

/** Chosen on eval/guard/chosen-*.txt: decision 18 has the table. */
export const HELD_FROM = 0.62

/**
 * Adds the model's word to what the rules said of a content: what it takes for a poison is held. It is not asked about what is held
 * already, nor about what it was not made for.
 */
export async function judgeContent<Verdict extends PoisonVerdict>(
  verdict: Verdict,
  content: string,
  model: PoisonModel | null,
): Promise<Verdict> {
  if (model === null || verdict.quarantine || !isAboutWork(content)) return verdict
  const [likely] = await model.judge([content])
  if (likely! < HELD_FROM) return verdict
  const flags = [...verdict.flags, 'poison']
  return { ...verdict, flags, quarantine: true, reasons: explainFlags(flags) }
}
