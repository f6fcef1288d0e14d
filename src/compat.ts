/** Workflow and operational memory under the names that other orchestrators use. */

export {
  type AgentMemoryInput,
  buildMemoryContext,
  bumpMemoryRecall,
  createAgentMemory,
  dedupeRecentMemory,
  getMemoriesForTaskContext,
  getRelevantMemories,
  pruneMemoriesForScope,
  type TaskReference,
} from './engine/named-helpers.ts'
