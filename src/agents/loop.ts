import { fillCommand } from './agent-prompt.ts'
import { OUTCOME_EXIT } from './outcome-exit.ts'
import { type LoopOptions, TaskLoop, type TaskReport } from './task-loop.ts'

export interface LoopReport {
  /** The exit code of a failed agent, after which nothing more was tried; otherwise that of the worst outcome. */
  exitCode: number
  tasks: TaskReport[]
}

/** Exit codes of outcomes, the most serious first. */
const EXITS = [
  ['disputed', OUTCOME_EXIT.needsPerson.exit],
  ['rejected', OUTCOME_EXIT.rejected.exit],
  ['unclear', OUTCOME_EXIT.unclear.exit],
] as const

export async function runLoop(options: LoopOptions): Promise<LoopReport> {
  fillCommand(options.template, '')
  const tasks: TaskReport[] = []
  for (const task of options.tasks) {
    const loop = new TaskLoop(options, task)
    tasks.push(loop.report)
    const failed = await loop.run()
    if (failed !== null) return { exitCode: failed, tasks }
  }
  const worst = EXITS.find(([outcome]) => tasks.some((task) => task.outcome === outcome))
  return { exitCode: worst?.[1] ?? 0, tasks }
}
