import { execFile } from 'node:child_process'
import { ulid } from 'ulidx'
import { captureEvent, type WorkflowEventInput } from '../capture/workflow-events.ts'
import { guardCandidate } from '../guard/guard.ts'
import type { Identifiers } from '../model/layer.ts'
import { parseJson } from '../text/json.ts'
import type { KeeperCommand } from './keeper-client.ts'
import { Spool, type SpoolRecord } from './spool.ts'

export interface WorkflowStoreOptions {
  /** The command line of this program, with the store and the settings. */
  program: KeeperCommand
  spoolFolders: readonly string[]
  /** Milliseconds that one question may take. */
  boundMs: number
  maxSummaryLength: number
  /** False where memory is switched off: nothing is asked and nothing recorded. */
  remember: boolean
  env: NodeJS.ProcessEnv
  warn(text: string): void
}

/** A store that failed is left in peace this long. */
const REST_MS = 30_000

/** What became of an event. `refused`: it says nothing worth keeping. */
export type EventFate = 'stored' | 'spooled' | 'refused' | 'lost' | 'off'

/**
 * The store as an orchestrator sees it, one short process for each question: a locked file or a hanging disk blocks the
 * process that asks, and that one can be ended. Never throws; what the store does not take waits in the spool.
 */
export class WorkflowStore {
  readonly #options: WorkflowStoreOptions
  /** Until then nothing is written to the store: it would only cost the same time again. */
  #restUntil = Number.NEGATIVE_INFINITY

  constructor(options: WorkflowStoreOptions) {
    this.#options = options
  }

  /** The `## MEMORY` section of a task, recorded as shown to the session; empty when there is none, or no answer in time. */
  async context({ projectId, sectionId, taskId }: Identifiers, session: string): Promise<string> {
    const { remember, warn } = this.#options
    if (!remember) return ''
    const scope = Object.entries({ project: projectId, section: sectionId, task: taskId })
    const flags = scope.flatMap(([name, id]) => (id === undefined ? [] : [`--${name}=${id}`]))
    const question = ['context', '--format=workflow', ...flags]
    try {
      // A store that is locked or read-only can still be read.
      const answer = await this.#write([...question, `--shown-to=${session}`]).catch(() => this.#ask(question))
      const parsed = parseJson(answer)
      return parsed.ok ? String((parsed.value as { text?: unknown }).text ?? '') : ''
    } catch (error) {
      warn(`the store is not available: ${(error as Error).message} The agent starts without the memory of its task.`)
      return ''
    }
  }

  async record(event: WorkflowEventInput, session: string): Promise<EventFate> {
    if (!this.#options.remember) return 'off'
    const { candidates, refusals } = captureEvent(event, this.#options)
    if (candidates.length === 0) {
      for (const { reason } of refusals) this.#options.warn(reason)
      return 'refused'
    }
    try {
      await this.#write(['record', `--session=${session}`], JSON.stringify(event))
      return 'stored'
    } catch (error) {
      return this.#spool(candidates, event, session, (error as Error).message)
    }
  }

  async #spool(
    candidates: ReturnType<typeof captureEvent>['candidates'],
    { type, projectId, sectionId, taskId }: WorkflowEventInput,
    session: string,
    why: string,
  ): Promise<EventFate> {
    const { spoolFolders, warn } = this.#options
    const identifiers = { projectId, ...(sectionId ? { sectionId } : {}), ...(taskId ? { taskId } : {}) }
    const records = candidates.flatMap((candidate): SpoolRecord[] => {
      const guarded = guardCandidate(candidate, { maxLength: Number.POSITIVE_INFINITY })
      return 'refused' in guarded
        ? []
        : [{ kind: 'remember', candidate: guarded.candidate, target: { identifiers, session } }]
    })
    // A name of its own: the session's own file may wait there already.
    const spool = new Spool(spoolFolders, `${session} ${ulid()}`)
    try {
      await spool.append(records)
      await spool.release()
    } catch (error) {
      warn(`the ${type} is lost, the spool cannot be written either: ${(error as Error).message}`)
      return 'lost'
    }
    warn(`the ${type} waits in the spool for the next run: ${why}`)
    return 'spooled'
  }

  async #write(args: readonly string[], input = ''): Promise<string> {
    if (performance.now() < this.#restUntil) throw new Error('it did not answer a moment ago.')
    try {
      return await this.#ask(args, input)
    } catch (error) {
      this.#restUntil = performance.now() + REST_MS
      throw error
    }
  }

  #ask(args: readonly string[], input = ''): Promise<string> {
    const { program, boundMs, env } = this.#options
    return new Promise((resolve, reject) => {
      const child = execFile(
        process.execPath,
        [program.module, ...args, '--json', ...program.args],
        { env, timeout: boundMs, killSignal: 'SIGKILL', maxBuffer: 64 << 20 },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout)
          else reject(new Error(error.killed ? `it did not answer within ${boundMs / 1000} s.` : messageOf(stderr)))
        },
      )
      // It may end without reading; its exit code tells.
      child.stdin?.on('error', () => {})
      child.stdin?.end(input)
    })
  }
}

/** The last line on standard error is the error as JSON. */
function messageOf(stderr: string): string {
  const parsed = parseJson(stderr.trimEnd().split('\n').at(-1) ?? '')
  const error = parsed.ok ? (parsed.value as { error?: { message?: unknown } }).error : undefined
  return typeof error?.message === 'string' ? error.message : 'it failed.'
}
