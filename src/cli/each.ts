import { MemoryError } from '../model/errors.ts'

export interface Failed {
  id: string
  code: string
  message: string
}

/** Does something with each of the ids that were given. The failure of a single one is the command's; of several the others are done all the same. */
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
