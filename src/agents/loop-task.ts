import type { WorkflowEventInput } from '../capture/workflow-events.ts'
import type { AgentSetup, AgentStep } from './ask-agent.ts'
import type { TaskState } from './loop-history.ts'
import type { EventFate, WorkflowStore } from './workflow-store.ts'

export interface LoopTask {
  id: string
  title: string
  description?: string | undefined
  section?: string | undefined
}

export interface LoopOptions extends AgentSetup {
  project: string
  tasks: readonly LoopTask[]
  agents: Record<LoopRole, string>
  /** Submissions that one task gets at most, counted from where this loop begins with it. */
  cycles: number
  workflow: WorkflowStore
  /** Null: nothing is kept of how far the tasks have come. */
  state: TaskStates | null
  /** Whether what is kept is put aside, and every task begins anew. */
  fromStart: boolean
}

export type LoopRole = 'coder' | 'reviewer' | 'coordinator'

/** `unclear`: an agent did not say what it decided, even when asked again. `rejected`: the cycles are used up. */
export type TaskOutcome = 'approved' | 'wont_fix' | 'disputed' | 'rejected' | 'unclear' | 'failed'

export interface TaskReport {
  task: string
  section: string | null
  outcome: TaskOutcome
  /** Rounds of an earlier loop that this one goes on from; all of them when the task was over already. */
  earlierRounds: number
  rejections: number
  steps: (AgentStep & { decision: string | null })[]
  events: { type: WorkflowEventInput['type']; fate: EventFate }[]
}

/** Where it is kept how far tasks have come. */
export interface TaskStates {
  /** Null: it never began, or it was another task by the same name. */
  read(task: LoopTask): Promise<(TaskState & { at: string }) | null>
  /** Rejects when it can be written nowhere. */
  write(task: LoopTask, state: TaskState): Promise<void>
  forget(task: LoopTask): Promise<void>
}
