import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { redactSecrets } from '../guard/redact-secrets.ts'
import type { TaskState } from './loop-history.ts'
import type { LoopTask, TaskStates } from './loop-task.ts'

const word = z.object({ word: z.string(), notes: z.string() })
const stateSchema = z.object({
  /** Of the task's text: a task that was rewritten is another one. */
  task: z.string(),
  at: z.string(),
  outcome: z.enum(['approved', 'wont_fix', 'disputed', 'rejected', 'unclear']).nullable(),
  before: z.object({ commit: z.string().nullable(), uncommitted: z.array(z.tuple([z.string(), z.string()])) }),
  rounds: z.array(
    z.object({
      submission: word,
      work: z.object({ commit: z.exactOptional(z.string()), changedFiles: z.array(z.string()) }),
      review: word.extend({ followUps: z.array(z.string()) }).nullable(),
      guidance: z.exactOptional(word.nullable()),
    }),
  ),
})

/** Beside a store's spool, which has a folder that can be written wherever the store is. */
export function loopFolders(spoolFolders: readonly string[]): string[] {
  return spoolFolders.map((folder) => {
    const name = basename(folder)
    return join(dirname(folder), name === 'spool' ? 'loops' : `${name}-loops`)
  })
}

/** Where the loops of a project keep how far they have come, so that one that is started again goes on. */
export class LoopState implements TaskStates {
  readonly #folders: readonly string[]
  readonly #project: string

  constructor(folders: readonly string[], project: string) {
    this.#folders = folders
    this.#project = project
  }

  async read(task: LoopTask): Promise<(TaskState & { at: string }) | null> {
    for (const folder of this.#folders) {
      const text = await readFile(this.#file(folder, task), 'utf8').catch(() => null)
      const parsed = text === null ? null : stateSchema.safeParse(tryJson(text))
      if (!parsed?.success || parsed.data.task !== fingerprint(task)) continue
      const { rounds, before, outcome, at } = parsed.data
      return { rounds, outcome, at, before: { ...before, uncommitted: new Map(before.uncommitted) } }
    }
    return null
  }

  /** No secret that an agent named gets onto the disk. */
  async write(task: LoopTask, { rounds, before, outcome }: TaskState): Promise<void> {
    const at = new Date().toISOString()
    const uncommitted = [...before.uncommitted]
    const text = JSON.stringify({ task: fingerprint(task), at, outcome, rounds, before: { ...before, uncommitted } })
    let failure: unknown
    for (const folder of this.#folders) {
      const file = this.#file(folder, task)
      try {
        await mkdir(folder, { recursive: true })
        await writeFile(`${file}.${process.pid}`, withoutSecrets(text), { mode: 0o600 })
        await rename(`${file}.${process.pid}`, file)
        return
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  async forget(task: LoopTask): Promise<void> {
    for (const folder of this.#folders) await rm(this.#file(folder, task), { force: true })
  }

  #file(folder: string, { id }: LoopTask): string {
    return join(folder, `${digest(this.#project, id)}.json`)
  }
}

/** In the values alone: a rule that saw the JSON around them could spoil it. */
function withoutSecrets(json: string): string {
  return JSON.stringify(JSON.parse(json, (_, value) => (typeof value === 'string' ? redactSecrets(value).text : value)))
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Half a file of another program is no state.
    return null
  }
}

function fingerprint({ title, description = '', section = '' }: LoopTask): string {
  return digest(title, description, section)
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
