import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { redactSecrets } from '../guard/redact-secrets.ts'
import { parseJson } from '../text/json.ts'
import type { LoopTask } from './loop-task.ts'

const word = z.object({ word: z.string(), notes: z.string() })

/** What was said in one round of a task so far. */
const roundSchema = z.object({
  submission: word,
  work: z.object({ commit: z.exactOptional(z.string()), changedFiles: z.array(z.string()) }),
  /** Null until the reviewer has decided. */
  review: word.extend({ followUps: z.array(z.string()) }).nullable(),
  /** The coordinator's decision after it. Null if it was unclear, absent if the coordinator was not asked. */
  guidance: z.exactOptional(word.nullable()),
})
export type Round = z.output<typeof roundSchema>

/** `unclear`: an agent did not state its decision, even when asked again. `rejected`: no cycles are left. */
const outcomeSchema = z.enum(['approved', 'wont_fix', 'disputed', 'rejected', 'unclear'])
export type TaskOutcome = z.output<typeof outcomeSchema> | 'failed'

const stateSchema = z.object({
  /** Of the task's text: a rewritten task counts as a new one. */
  task: z.string(),
  at: z.string(),
  /** Null while the task is open. */
  outcome: outcomeSchema.nullable(),
  /** The state of the workspace when the task began. */
  before: z.object({
    commit: z.string().nullable(),
    uncommitted: z.array(z.tuple([z.string(), z.string()])).transform((marks) => new Map(marks)),
  }),
  rounds: z.array(roundSchema),
})
export type TaskState = Omit<z.output<typeof stateSchema>, 'task' | 'at' | 'outcome'> & { outcome: TaskOutcome | null }

/** Next to the store's spool, which is always in a writable folder. */
export function loopFolders(spoolFolders: readonly string[]): string[] {
  return spoolFolders.map((folder) => {
    const name = basename(folder)
    return join(dirname(folder), name === 'spool' ? 'loops' : `${name}-loops`)
  })
}

/** Keeps the progress of a project's loops, so that a loop that is started again continues. */
export class LoopState {
  readonly #folders: readonly string[]
  readonly #project: string

  constructor(folders: readonly string[], project: string) {
    this.#folders = folders
    this.#project = project
  }

  /** Null if it never began, or if it was another task with the same name. */
  async read(task: LoopTask): Promise<(TaskState & { at: string }) | null> {
    const print = fingerprint(task)
    const own = stateSchema.refine((state) => state.task === print)
    return readState(this.#files(task), own)
  }

  /** Rejects if no folder is writable. */
  async write(task: LoopTask, { rounds, before, outcome }: TaskState): Promise<void> {
    const at = new Date().toISOString()
    const uncommitted = [...before.uncommitted]
    const state = { task: fingerprint(task), at, outcome, rounds, before: { ...before, uncommitted } }
    await writeState(this.#files(task), state)
  }

  async forget(task: LoopTask): Promise<void> {
    for (const file of this.#files(task)) await rm(file, { force: true })
  }

  #files({ id }: LoopTask): string[] {
    return this.#folders.map((folder) => join(folder, `${digest(this.#project, id)}.json`))
  }
}

/** The first of these files that holds a valid state. A truncated or foreign file counts as missing. */
export async function readState<State>(files: readonly string[], schema: z.ZodType<State>): Promise<State | null> {
  for (const file of files) {
    const json = parseJson(await readFile(file, 'utf8').catch(() => ''))
    const parsed = json.ok ? schema.safeParse(json.value) : null
    if (parsed?.success) return parsed.data
  }
  return null
}

/** Writes to the first file that can be written, without any secrets that an agent printed. */
export async function writeState(files: readonly string[], state: object): Promise<void> {
  let failure: unknown
  for (const file of files) {
    try {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(`${file}.${process.pid}`, withoutSecrets(JSON.stringify(state)), { mode: 0o600 })
      await rename(`${file}.${process.pid}`, file)
      return
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Only in the values: redacting the JSON text could break its syntax. */
function withoutSecrets(json: string): string {
  return JSON.stringify(JSON.parse(json, (_, value) => (typeof value === 'string' ? redactSecrets(value).text : value)))
}

function fingerprint({ title, description = '', section = '' }: LoopTask): string {
  return digest(title, description, section)
}

export function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
