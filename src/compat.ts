/** Workflow and operational memory under the names that other orchestrators know. */

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
