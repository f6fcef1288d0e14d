/**
 * Workflow and operational memory under the names that other orchestrators use, each a few lines over the engine. `memory` is
 * the result of `openMemory()`, where those tools pass a database.
 */

import type { WorkflowCategory } from '../model/categories.ts'
import type { Identifiers } from '../model/layer.ts'
import type { JsonObject, Memory, Source } from '../model/memory.ts'
import type { Addressed } from '../model/schema.ts'
import { shortenAtWord } from '../text/shorten.ts'
import type { Nokosu } from './nokosu.ts'

export interface TaskReference {
  taskId?: string
  sectionId?: string
  projectId: string
}

export interface AgentMemoryInput {
  scope: 'task' | 'section' | 'project'
  identifiers: Identifiers
  eventType: WorkflowCategory
  source: Source
  summary: string
  details?: JsonObject
  anchor?: string
  tags?: string[]
  importance?: number
  expiresAt?: string
}

/** Stores one workflow memory, with its summary shortened to fit a prompt. */
export async function createAgentMemory(memory: Nokosu, input: AgentMemoryInput): Promise<Memory> {
  const { scope, identifiers, eventType, source, summary, details, anchor, tags, importance, expiresAt } = input
  const added = await memory.add({
    // The engine refuses a scope without its identifier.
    ...({ layer: scope, identifiers } as Addressed),
    category: eventType,
    source,
    content: shortenAtWord(summary, memory.settings.maxSummaryLength),
    tier: 1,
    exact: true,
    ...(details === undefined ? {} : { metadata: details }),
    ...(anchor === undefined ? {} : { anchor }),
    ...(tags === undefined ? {} : { tags }),
    ...(importance === undefined ? {} : { importance }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  })
  return added.memory
}

/** What a task should know: its own memories, its section's (including earlier tasks) and its project's, the most important first. */
export async function getMemoriesForTaskContext(memory: Nokosu, task: TaskReference): Promise<Memory[]> {
  const { memories } = await memory.context({ format: 'workflow', identifiers: { ...task } })
  return memories
}

/** The same as the `## MEMORY` section of a prompt; the empty string if there is nothing to say. */
export async function getRelevantMemories(memory: Nokosu, task: TaskReference): Promise<string> {
  const { text } = await memory.context({ format: 'workflow', identifiers: { ...task } })
  return text
}

/** Counts memories as recalled by a session, as if they had been shown in this order. */
export async function bumpMemoryRecall(memory: Nokosu, ids: readonly string[], session: string): Promise<void> {
  if (ids.length === 0) return
  const entries = ids.map((id, position) => ({ memory: id, position, tokens: 0 }))
  await memory.recordShowing({ everything: true, session, format: 'recall', entries })
}

/** Applies the cap of one scope; returns how many memories became inactive. */
export async function pruneMemoriesForScope(
  memory: Nokosu,
  { scope, identifiers }: Pick<AgentMemoryInput, 'scope' | 'identifiers'>,
): Promise<number> {
  return memory.prune({ layer: scope, identifiers })
}

/** The memory of this scope and event type that says the same, or null. */
export async function dedupeRecentMemory(
  memory: Nokosu,
  input: Pick<AgentMemoryInput, 'scope' | 'identifiers' | 'eventType' | 'source' | 'summary'>,
): Promise<Memory | null> {
  const { scope, identifiers, eventType, source, summary } = input
  const candidate = {
    content: summary,
    category: eventType,
    service: null,
    source,
    tags: [],
    metadata: {},
    anchor: null,
    importance: 50,
  }
  const [outcome] = await memory.remember([candidate], { identifiers, layer: scope, dryRun: true })
  return outcome?.kind === 'reinforce' || outcome?.kind === 'duplicate' ? outcome.memory : null
}

/** The operational block for the end of a system prompt; the empty string if there is nothing to say. */
export async function buildMemoryContext(
  memory: Nokosu,
  options: { identifiers: Identifiers; budget?: number; session?: string },
): Promise<string> {
  const { text } = await memory.context({ format: 'operational', ...options })
  return text
}
