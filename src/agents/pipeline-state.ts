import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../text/json.ts'
import { digest, writeState } from './loop-state.ts'

const answerSchema = z.object({
  agent: z.string(),
  round: z.int(),
  said: z.string(),
  verdict: z.enum(['APPROVE', 'REJECT', 'PASSED', 'FAILED']).nullable(),
})
export type EarlierAnswer = z.output<typeof answerSchema>

/** Where a pipeline keeps what its agents said, so that one that failed goes on at the agent that did. */
export class PipelineState {
  readonly #files: readonly string[]

  constructor(folders: readonly string[], project: string, feature: string) {
    this.#files = folders.map((folder) => join(folder, `pipeline-${digest(project, feature)}.json`))
  }

  async read(): Promise<EarlierAnswer[]> {
    for (const file of this.#files) {
      const json = parseJson(await readFile(file, 'utf8').catch(() => ''))
      // Half a file of another program is no state.
      const parsed = json.ok ? z.object({ answers: z.array(answerSchema) }).safeParse(json.value) : null
      if (parsed?.success) return parsed.data.answers
    }
    return []
  }

  async write(answers: readonly EarlierAnswer[]): Promise<void> {
    await writeState(this.#files, { answers })
  }

  async forget(): Promise<void> {
    for (const file of this.#files) await rm(file, { force: true })
  }
}
