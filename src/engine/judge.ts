import type { EmbeddingProvider } from '../embedding/provider.ts'
import { localPoisonModel, type PoisonModel } from '../guard/poison-model.ts'
import { MemoryError } from '../model/errors.ts'
import type { Logger } from '../observe/log.ts'
import type { Judge } from './guard-input.ts'

/** With the hashing embedder the machine has no models, or should not use them. */
export function defaultPoisons({ name }: EmbeddingProvider): PoisonModel | null {
  return name.startsWith('hashing:') ? null : localPoisonModel()
}

/** Without its model the guard judges by rules and says so once: text that cannot be judged well is still worth storing. */
export function createJudge(model: PoisonModel | null, log: Logger): Judge {
  let told = false
  return async (guarded) => {
    if (model === null) return [...guarded]
    const { addModelVerdicts } = await import('../guard/model-verdict.ts')
    try {
      return await addModelVerdicts(guarded, ({ candidate }) => candidate.content, model)
    } catch (error) {
      if (!MemoryError.is(error)) throw error
      if (!told) log.warn({ code: error.code }, `${error.message} Until then notes are judged by keyword rules alone.`)
      told = true
      return [...guarded]
    }
  }
}
