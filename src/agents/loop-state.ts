import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { redactSecrets } from '../guard/redact-secrets.ts'
import { parseJson } from '../text/json.ts'
import type { LoopTask } from './loop-task.ts'

const word = z.object({ word: z.string(), notes: z.string() })

/** What was said in one round of a task, as far as it has come. */
const roundSchema = z.object({
  submission: word,
  work: z.object({ commit: z.exactOptional(z.string()), changedFiles: z.array(z.string()) }),
  /** Null until the reviewer has decided. */
  review: word.extend({ followUps: z.array(z.string()) }).nullable(),
  /** What the coordinator decided after it; null when it could not say, and absent when it was not asked. */
  guidance: z.exactOptional(word.nullable()),
})
export type Round = z.output<typeof roundSchema>

/** `unclear`: an agent did not say what it decided, even when asked again. `rejected`: the cycles are used up. */
const outcomeSchema = z.enum(['approved', 'wont_fix', 'disputed', 'rejected', 'unclear'])
export type TaskOutcome = z.output<typeof outcomeSchema> | 'failed'

const stateSchema = z.object({
  /** Of the task's text: a task that was rewritten is another one. */
  task: z.string(),
  at: z.string(),
  /** Null while it is not over. */
  outcome: outcomeSchema.nullable(),
  /** The workspace when the task began. */
  before: z.object({
    commit: z.string().nullable(),
    uncommitted: z.array(z.tuple([z.string(), z.string()])).transform((marks) => new Map(marks)),
  }),
  rounds: z.array(roundSchema),
})
export type TaskState = Omit<z.output<typeof stateSchema>, 'task' | 'at' | 'outcome'> & { outcome: TaskOutcome | null }

/** Beside a store's spool, which has a folder that can be written wherever the store is. */
export function loopFolders(spoolFolders: readonly string[]): string[] {
  return spoolFolders.map((folder) => {
    const name = basename(folder)
    return join(dirname(folder), name === 'spool' ? 'loops' : `${name}-loops`)
  })
}

/** Where the loops of a project keep how far they have come, so that one that is started again goes on. */
export class LoopState {
  readonly #folders: readonly string[]
  readonly #project: string

  constructor(folders: readonly string[], project: string) {
    this.#folders = folders
    this.#project = project
  }

  /** Null: it never began, or it was another task by the same name. */
  async read(task: LoopTask): Promise<(TaskState & { at: string }) | null> {
    const print = fingerprint(task)
    const own = stateSchema.refine((state) => state.task === print)
    return readState(this.#files(task), own)
  }

  /** Rejects when it can be written nowhere. */
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

/** What the first of these files says that holds such a state: half a file of another program is none. */
export async function readState<State>(files: readonly string[], schema: z.ZodType<State>): Promise<State | null> {
  for (const file of files) {
    const json = parseJson(await readFile(file, 'utf8').catch(() => ''))
    const parsed = json.ok ? schema.safeParse(json.value) : null
    if (parsed?.success) return parsed.data
  }
  return null
}

/** Writes to the first of these files that can be written. No secret that an agent named gets onto the disk. */
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

/** In the values alone: a rule that saw the JSON around them could spoil it. */
function withoutSecrets(json: string): string {
  return JSON.stringify(JSON.parse(json, (_, value) => (typeof value === 'string' ? redactSecrets(value).text : value)))
}

function fingerprint({ title, description = '', section = '' }: LoopTask): string {
  return digest(title, description, section)
}

export function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
