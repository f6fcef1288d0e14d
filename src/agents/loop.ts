import { fillCommand } from './agent-prompt.ts'
import { OUTCOME_EXIT } from './outcome-exit.ts'
import { type LoopOptions, TaskLoop, type TaskReport } from './task-loop.ts'

export interface LoopReport {
  /** That of the agent that failed, and then nothing more was tried; else that of the worst outcome. */
  exitCode: number
  tasks: TaskReport[]
}

/** The exit codes of outcomes, the gravest first. */
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
