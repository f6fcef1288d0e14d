import { fillPrompt, fitHandOffs } from './agent-prompt.ts'
import { countRejections, renderGuidance, renderRounds, renderSubmission } from './loop-history.ts'
import type { Round } from './loop-state.ts'
import type { LoopRole, LoopTask } from './loop-task.ts'
import { readPrompt } from './read-prompt.ts'

export interface LoopQuestion {
  task: LoopTask
  rounds: readonly Round[]
  /** The work to be judged. */
  submitted: Round | null
  /** Memories of the task, its section and its project. */
  memory: string
  /** Added when an agent is asked a second time. */
  reminder: string
}

export async function loopPrompt(role: LoopRole, question: LoopQuestion): Promise<string> {
  const { task, rounds, submitted, memory, reminder } = question
  const { id, title, description = '', section } = task
  return fillPrompt(await readPrompt('loop', `${role}.md`), {
    reminder,
    rejections: String(countRejections(rounds)),
    memory,
    task: `## Task ${id}: ${title}\n\n${section === undefined ? '' : `Section: ${section}\n\n`}${description}`,
    ...fitHandOffs((one) => ({
      submission: submitted === null ? '' : renderSubmission(submitted, one),
      rounds: renderRounds(rounds, one),
      guidance: renderGuidance(rounds, one),
    })),
  })
}
