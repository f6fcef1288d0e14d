import { captureEvent, type WorkflowEventInput } from '../capture/workflow-events.ts'
import { redactSecrets } from '../guard/redact-secrets.ts'
import type { Identifiers } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { within } from '../remote/bound.ts'
import { lookFresh } from '../remote/look-fresh.ts'
import { Outbox } from '../remote/outbox.ts'
import type { RunSettings } from './run/run-options.ts'

export interface WorkflowStoreOptions
  extends Pick<RunSettings, 'store' | 'spoolFolders' | 'boundMs' | 'remember' | 'warn'> {
  maxSummaryLength: number
}

/** What became of an event. `spooled`: the store did not accept it in time. `refused`: it says nothing worth keeping. */
export type EventFate = 'stored' | 'spooled' | 'refused' | 'off'

/** Time reserved for the spool at the end. */
const SPOOL_MS = 250

/**
 * The store as all agents of an orchestrator share it. Never throws and never exceeds its bound. What the
 * store does not accept in time waits in the spool.
 */
export class WorkflowStore {
  readonly #options: WorkflowStoreOptions
  readonly #outbox: Outbox

  constructor(options: WorkflowStoreOptions) {
    this.#options = options
    this.#outbox = new Outbox(options.store, options.spoolFolders)
  }

  /** The `## MEMORY` section of a task, recorded as shown to the session. Empty if there is nothing, or no answer in time. */
  async context(identifiers: Identifiers, session: string, task: string): Promise<string> {
    const { store, remember, warn } = this.#options
    if (!remember) return ''
    try {
      const { text, entries, omitted } = await lookFresh(store, this.#options, (boundMs) =>
        store.request('context', { format: 'workflow', identifiers, for: task.slice(0, LIMITS.query) }, { boundMs }),
      )
      if (entries.length > 0) {
        const at = new Date().toISOString()
        void this.#outbox.post('recordShowing', { identifiers, session, format: 'workflow', entries, omitted, at })
      }
      return text
    } catch (error) {
      warn(`the store is not available: ${(error as Error).message} The agent starts without the memories of its task.`)
      return ''
    }
  }

  async record(event: WorkflowEventInput, session: string): Promise<EventFate> {
    const { remember, boundMs, warn } = this.#options
    if (!remember) return 'off'
    const { candidates, refusals } = captureEvent(event, this.#options)
    if (candidates.length === 0) {
      for (const { reason } of refusals) warn(redactSecrets(reason).text)
      return 'refused'
    }
    const posted = this.#outbox.post('record', { event: withoutSecrets(event), session })
    // Do not wait for a store that has just failed; it would take the same time again.
    if (!this.#outbox.isResting) await this.#outbox.drain(boundMs)
    const fate = await within(posted, 0)
    if (fate === null) return 'spooled'
    if (!('refused' in fate.value)) return 'stored'
    warn(`the ${event.type} was not stored: ${fate.value.refused}`)
    return 'refused'
  }

  /** Stores the rest within the bound and leaves what remains in the spool. */
  async close(): Promise<void> {
    const { boundMs, warn } = this.#options
    await this.#outbox.drain(boundMs)
    const { spooled, lost } = await this.#outbox.close(SPOOL_MS)
    const why = this.#outbox.failure ?? 'The store did not accept it.'
    if (spooled.length > 0) warn(`${spooled.length} workflow record(s) are spooled: ${why}`)
    if (lost.length > 0)
      warn(`${lost.length} workflow record(s) are lost, because the spool cannot be written either: ${why}`)
  }
}

/** Fields that hold names. All others may hold free text. */
const NAMES: ReadonlySet<string> = new Set([
  'type',
  'projectId',
  'sectionId',
  'taskId',
  'commit',
  'source',
  'expiresAt',
])

function withoutSecrets(event: WorkflowEventInput): WorkflowEventInput {
  const clean = Object.entries(event).map(([name, value]) => [name, NAMES.has(name) ? value : redactDeep(value)])
  return Object.fromEntries(clean) as WorkflowEventInput
}

function redactDeep(value: unknown): unknown {
  if (typeof value === 'string') return redactSecrets(value).text
  if (Array.isArray(value)) return value.map(redactDeep)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redactDeep(each)]))
}
