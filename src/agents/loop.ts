import { ulid } from 'ulidx'
import type { WorkflowEventInput } from '../capture/workflow-events.ts'
import { fillCommand, fillPrompt, renderHandOff } from './agent-prompt.ts'
import { type AgentSetup, type AgentStep, askAgent } from './ask-agent.ts'
import { type Decision, readDecision } from './decision.ts'
import { readPrompt } from './read-prompt.ts'
import { type SubmittedWork, submittedWork, workspaceState } from './submitted-work.ts'
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
  /** Submissions that one task gets at most. */
  cycles: number
  workflow: WorkflowStore
}

export type LoopRole = 'coder' | 'reviewer' | 'coordinator'

/** `unclear`: an agent did not say what it decided, even when asked again. `rejected`: the cycles are used up. */
export type TaskOutcome = 'approved' | 'wont_fix' | 'disputed' | 'rejected' | 'unclear' | 'failed'

export interface TaskReport {
  task: string
  section: string | null
  outcome: TaskOutcome
  rejections: number
  steps: (AgentStep & { decision: string | null })[]
  events: { type: WorkflowEventInput['type']; fate: EventFate }[]
}

export interface LoopReport {
  /** That of the agent that failed, and then nothing more was tried; 1 when a task did not come to a good end. */
  exitCode: number
  tasks: TaskReport[]
}

const WORDS = {
  coder: ['SUBMIT', 'WONT_FIX'],
  reviewer: ['APPROVE', 'REJECT', 'DISPUTE'],
  coordinator: ['guide_coder', 'override_reviewer', 'narrow_scope'],
} as const satisfies Record<LoopRole, readonly string[]>

/** Decisions that mean nothing to the next reader without their notes. */
const NEED_NOTES: readonly string[] = ['WONT_FIX', 'REJECT', 'DISPUTE', ...WORDS.coordinator]

/** Rejections after which the coordinator is asked: then coder and reviewer will not agree by themselves. */
const COORDINATED = [2, 5, 9]

/** Coder and reviewer on one task after the other, with what the project remembers of it in every prompt. */
export async function runLoop(options: LoopOptions): Promise<LoopReport> {
  fillCommand(options.template, '')
  const tasks: TaskReport[] = []
  for (const task of options.tasks) {
    const loop = new TaskLoop(options, task)
    tasks.push(loop.report)
    const failed = await loop.run()
    if (failed !== null) return { exitCode: failed, tasks }
  }
  const well = tasks.every(({ outcome }) => outcome === 'approved' || outcome === 'wont_fix')
  return { exitCode: well ? 0 : 1, tasks }
}

/** An agent ended with an error: the whole loop stops. */
class AgentFailure extends Error {
  readonly exitCode: number
  constructor(exitCode: number) {
    super(`exit code ${exitCode}`)
    this.exitCode = exitCode
  }
}

class TaskLoop {
  readonly report: TaskReport
  readonly #options: LoopOptions
  readonly #task: LoopTask
  readonly #scope: { projectId: string; sectionId?: string; taskId: string }
  /** What the next prompts say beside the task and its memory. */
  #feedback = ''
  #guidance = ''
  #session = ''

  constructor(options: LoopOptions, task: LoopTask) {
    const { id, section } = task
    this.#options = options
    this.#task = task
    this.#scope = { projectId: options.project, taskId: id, ...(section === undefined ? {} : { sectionId: section }) }
    this.report = { task: id, section: section ?? null, outcome: 'rejected', rejections: 0, steps: [], events: [] }
  }

  /** The exit code of an agent that failed; null when none did. */
  async run(): Promise<number | null> {
    try {
      this.report.outcome = await this.#cycle()
      return null
    } catch (error) {
      if (!(error instanceof AgentFailure)) throw error
      this.report.outcome = 'failed'
      return error.exitCode
    }
  }

  async #cycle(): Promise<TaskOutcome> {
    const { workspace, cycles } = this.#options
    const before = await workspaceState(workspace)
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const submission = await this.#ask('coder', {})
      if (submission === null) return 'unclear'
      const work = await submittedWork(workspace, before)
      await this.#recordSubmission(submission, work, cycle)
      const review = await this.#ask('reviewer', { submission: describe(submission, work) })
      if (review === null) return 'unclear'
      const { notes, followUps } = review
      const commit = work.commit === undefined ? {} : { commit: work.commit }
      if (review.word === 'APPROVE') {
        await this.#record({ type: 'approval', notes, followUps, ...commit, ...this.#scope })
        return submission.word === 'WONT_FIX' ? 'wont_fix' : 'approved'
      }
      if (review.word === 'DISPUTE') {
        await this.#record({ type: 'dispute', notes, cycle, ...commit, ...this.#scope })
        return 'disputed'
      }
      const rejections = ++this.report.rejections
      await this.#record({ type: 'rejection', notes, cycle: rejections, ...commit, ...this.#scope })
      this.#feedback = renderHandOff('the reviewer', notes)
      if (COORDINATED.includes(rejections) && cycle < cycles)
        await this.#coordinate(rejections, describe(submission, work))
    }
    return 'rejected'
  }

  /** The coordinator's word goes into every later prompt. A coordinator who cannot say what to do changes nothing. */
  async #coordinate(rejections: number, submission: string): Promise<void> {
    const advice = await this.#ask('coordinator', { rejections: String(rejections), submission })
    if (advice === null) return
    const { word: decision, notes } = advice
    await this.#record({ type: 'decision', decision, notes, cycle: rejections, ...this.#scope })
    this.#guidance = `## Coordinator (${decision})\n\n${renderHandOff('the coordinator', notes)}`
  }

  #recordSubmission({ word, notes }: Decision<string>, { commit, changedFiles }: SubmittedWork, cycle: number) {
    const named = commit === undefined ? {} : { commit }
    return this.#record(
      word === 'WONT_FIX'
        ? { type: 'wont_fix', notes, cycle, ...named, ...this.#scope }
        : { type: 'submission', summary: notes, changedFiles: changedFiles.slice(0, 5000), ...named, ...this.#scope },
    )
  }

  async #record(event: WorkflowEventInput): Promise<void> {
    const fate = await this.#options.workflow.record(event, this.#session)
    this.report.events.push({ type: event.type, fate })
  }

  /** Asks once more when the answer does not end as it has to; null when that does not help. */
  async #ask<Role extends LoopRole>(
    role: Role,
    values: Readonly<Record<string, string>>,
  ): Promise<Decision<(typeof WORDS)[Role][number]> | null> {
    for (const reminder of [
      '',
      'Your last answer did not end with NOTES and a DECISION line as asked. Do so this time.',
    ]) {
      const said = await this.#run(role, { ...values, reminder })
      const decision = readDecision<(typeof WORDS)[Role][number]>(said, WORDS[role])
      const usable =
        decision !== null && (decision.notes !== '' || !NEED_NOTES.includes(decision.word)) ? decision : null
      this.report.steps.at(-1)!.decision = usable?.word ?? null
      if (usable !== null) return usable
    }
    this.#options.warn(`${this.#options.agents[role]} did not say what to do with task ${this.#task.id}`)
    return null
  }

  async #run(role: LoopRole, values: Readonly<Record<string, string>>): Promise<string> {
    const { workflow, template, agents, project } = this.#options
    const session = ulid()
    const memory = await workflow.context(this.#scope, session)
    const { id, title, description = '', section } = this.#task
    const prompt = fillPrompt(await readPrompt('loop', `${role}.md`), {
      ...values,
      memory,
      task: `## Task ${id}: ${title}\n\n${section === undefined ? '' : `Section: ${section}\n\n`}${description}`,
      feedback: this.#feedback,
      guidance: this.#guidance,
    })
    const identifiers = { agentId: agents[role], projectId: project }
    const command = fillCommand(template, prompt)
    const { step, said } = await askAgent(this.#options, { command, identifiers, role, session })
    this.#session = session
    this.report.steps.push({ ...step, decision: null })
    if (step.exitCode !== 0) throw new AgentFailure(step.exitCode)
    return said
  }
}

const MOST_LISTED = 40

function describe({ word, notes }: Decision<string>, { commit, changedFiles }: SubmittedWork): string {
  const listed = changedFiles.slice(0, MOST_LISTED).join(', ')
  const more = changedFiles.length > MOST_LISTED ? ` and ${changedFiles.length - MOST_LISTED} more` : ''
  return [
    word === 'WONT_FIX' ? 'The coder will not change it, and says why.' : 'The coder submits this work.',
    `Commit: ${commit ?? 'none'}`,
    `Changed files: ${listed === '' ? 'none' : `${listed}${more}`}`,
    renderHandOff('the coder', notes),
  ].join('\n')
}
