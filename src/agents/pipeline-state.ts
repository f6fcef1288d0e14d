import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { digest, readState, writeState } from './loop-state.ts'

const answerSchema = z.object({
  agent: z.string(),
  round: z.int(),
  said: z.string(),
  verdict: z.enum(['APPROVE', 'REJECT', 'PASSED', 'FAILED']).nullable(),
})
const stateSchema = z.object({ answers: z.array(answerSchema) })

export type EarlierAnswer = z.output<typeof answerSchema>

/** Keeps what the agents of a pipeline said, so that a failed pipeline resumes at the agent that failed. */
export class PipelineState {
  readonly #files: readonly string[]

  constructor(folders: readonly string[], project: string, feature: string) {
    this.#files = folders.map((folder) => join(folder, `pipeline-${digest(project, feature)}.json`))
  }

  async read(): Promise<EarlierAnswer[]> {
    return (await readState(this.#files, stateSchema))?.answers ?? []
  }

  async write(answers: readonly EarlierAnswer[]): Promise<void> {
    await writeState(this.#files, { answers })
  }

  async forget(): Promise<void> {
    for (const file of this.#files) await rm(file, { force: true })
  }
}
