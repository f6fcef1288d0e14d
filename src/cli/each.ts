import { MemoryError } from '../model/errors.ts'

export interface Failed {
  id: string
  code: string
  message: string
}

/** Applies an action to each given id. If there is only one, its failure is the command's; with several, the others still run. */
export async function doEach<Done>(ids: readonly string[], work: (id: string) => Promise<Done>) {
  const done: Done[] = []
  const failed: Failed[] = []
  for (const id of ids) {
    try {
      done.push(await work(id))
    } catch (error) {
      if (ids.length === 1 || !MemoryError.is(error)) throw error
      failed.push({ id, code: error.code, message: error.message })
    }
  }
  return { done, failed }
}
