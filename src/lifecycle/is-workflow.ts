import { type Memory, WORKFLOW_CATEGORIES } from '../model/memory.ts'

const WORKFLOW: ReadonlySet<string> = new Set(WORKFLOW_CATEGORIES)

/** Whether a memory records a step of a workflow, rather than how something behaves. */
export function isWorkflow({ category }: Pick<Memory, 'category'>): boolean {
  return WORKFLOW.has(category)
}
