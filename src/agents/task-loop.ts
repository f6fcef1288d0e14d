import { ulid } from 'ulidx'
import type { WorkflowEventInput } from '../capture/workflow-events.ts'
import { plainOf } from '../text/plain.ts'
import { fillCommand } from './agent-prompt.ts'
import { type AgentSetup, type AgentStep, askAgent } from './ask-agent.ts'
import { type Decision, readDecision } from './decision.ts'
import { countRejections } from './loop-history.ts'
import { loopPrompt } from './loop-prompt.ts'
import type { LoopState, Round, TaskOutcome, TaskState } from './loop-state.ts'
import type { LoopRole, LoopTask } from './loop-task.ts'
import { submittedWork, workspaceState } from './submitted-work.ts'
import type { EventFate, WorkflowStore } from './workflow-store.ts'

export interface LoopOptions extends AgentSetup {
  project: string
  tasks: readonly LoopTask[]
  agents: Record<LoopRole, string>
  /** Maximum submissions of one task, counted from where this loop picks it up. */
  cycles: number
  workflow: WorkflowStore
  /** Null: progress is not saved. */
  state: LoopState | null
  /** Whether saved progress is discarded and every task starts over. */
  fromStart: boolean
}

export interface TaskReport {
  task: string
  section: string | null
  outcome: TaskOutcome
  /** Rounds of an earlier loop that this one continues; all rounds if the task was already finished. */
  earlierRounds: number
  rejections: number
  steps: (AgentStep & { decision: string | null })[]
  events: { type: WorkflowEventInput['type']; fate: EventFate }[]
  /** What the reviewer left for later, as tasks for the list. */
  followUps: LoopTask[]
}

const WORDS = {
  coder: ['SUBMIT', 'WONT_FIX'],
  reviewer: ['APPROVE', 'REJECT', 'DISPUTE'],
  coordinator: ['guide_coder', 'override_reviewer', 'narrow_scope'],
} as const satisfies Record<LoopRole, readonly string[]>

/** Decisions that mean nothing to the next reader without notes. */
const NEED_NOTES: readonly string[] = ['WONT_FIX', 'REJECT', 'DISPUTE', ...WORDS.coordinator]

/** After this many rejections the coordinator is asked, because coder and reviewer will not agree on their own. */
const COORDINATED = [2, 5, 9]

/** Maximum length of a task title. */
const MOST_TITLE = 1000

/** An agent ended with an error: the whole loop stops. */
class AgentFailure extends Error {
  readonly exitCode: number
  constructor(exitCode: number) {
    super(`exit code ${exitCode}`)
    this.exitCode = exitCode
  }
}

export class TaskLoop {
  readonly report: TaskReport
  readonly #options: LoopOptions
  readonly #task: LoopTask
  readonly #scope: { projectId: string; sectionId?: string; taskId: string }
  #state: TaskState = { rounds: [], before: { commit: null, uncommitted: new Map() }, outcome: null }
  #session = ''

  constructor(options: LoopOptions, task: LoopTask) {
    const { id, section } = task
    this.#options = options
    this.#task = task
    this.#scope = { projectId: options.project, taskId: id, ...(section === undefined ? {} : { sectionId: section }) }
    const none = { earlierRounds: 0, rejections: 0, steps: [], events: [], followUps: [] }
    this.report = { task: id, section: section ?? null, outcome: 'rejected', ...none }
  }

  /** The exit code of a failed agent, or null. */
  async run(): Promise<number | null> {
    try {
      const over = await this.#begin()
      this.report.outcome = over ?? (await this.#cycle())
      if (over === null) await this.#keep(this.report.outcome)
      return null
    } catch (error) {
      if (!(error instanceof AgentFailure)) throw error
      this.report.outcome = 'failed'
      return error.exitCode
    }
  }

  /** Continues an earlier loop. Returns the outcome if the task is finished. */
  async #begin(): Promise<TaskOutcome | null> {
    const { state, fromStart, workspace, tell } = this.#options
    if (fromStart) await state?.forget(this.#task)
    const earlier = (await state?.read(this.#task)) ?? null
    if (earlier === null) {
      this.#state.before = await workspaceState(workspace)
      await this.#keep(null)
      return null
    }
    const { rounds, outcome, at } = earlier
    this.#state = earlier
    this.report.earlierRounds = rounds.length
    this.report.rejections = countRejections(rounds)
    const { id } = this.#task
    if (outcome === 'approved' || outcome === 'wont_fix') {
      tell(`== ${id}: already ${outcome}, ${at}; --from-start does it again`)
      return outcome
    }
    if (rounds.length === 0) return null
    const open = rounds.at(-1)!.review === null
    const round = open ? `the review of round ${rounds.length}` : `round ${rounds.length + 1}`
    tell(`== ${id}: resumes with ${round}, after ${this.report.rejections} rejection(s); --from-start starts over`)
    return null
  }

  async #cycle(): Promise<TaskOutcome> {
    const { rounds } = this.#state
    for (let left = this.#options.cycles; ; left--) {
      if (rounds.at(-1)?.review !== null) {
        if (left === 0) return 'rejected'
        await this.#coordinate()
        if (!(await this.#submit())) return 'unclear'
      }
      const outcome = await this.#review(rounds.at(-1)!)
      if (outcome !== null) return outcome
    }
  }

  /** False if the coder does not say what it did. */
  async #submit(): Promise<boolean> {
    const submission = await this.#ask('coder', null)
    if (submission === null) return false
    const { word, notes } = submission
    const work = await submittedWork(this.#options.workspace, this.#state.before)
    const named = work.commit === undefined ? {} : { commit: work.commit }
    const { rounds } = this.#state
    await this.#record(
      word === 'WONT_FIX'
        ? { type: 'wont_fix', notes, ...this.#after, ...named, ...this.#scope }
        : {
            ...{ type: 'submission', summary: notes, changedFiles: work.changedFiles.slice(0, 5000) },
            ...{ ...named, ...this.#scope },
          },
    )
    rounds.push({ submission: { word, notes }, work, review: null })
    await this.#keep(null)
    return true
  }

  /** Null if the task needs more work. */
  async #review(round: Round): Promise<TaskOutcome | null> {
    const review = await this.#ask('reviewer', round)
    if (review === null) return 'unclear'
    const { notes, followUps, word } = review
    const commit = round.work.commit === undefined ? {} : { commit: round.work.commit }
    if (word === 'APPROVE') this.#offer(followUps)
    if (word === 'APPROVE') await this.#record({ type: 'approval', notes, followUps, ...commit, ...this.#scope })
    else if (word === 'DISPUTE')
      await this.#record({ type: 'dispute', notes, ...this.#after, ...commit, ...this.#scope })
    else {
      this.report.rejections++
      await this.#record({ type: 'rejection', notes, cycle: this.report.rejections, ...commit, ...this.#scope })
    }
    round.review = review
    await this.#keep(null)
    if (word === 'REJECT') return null
    if (word === 'DISPUTE') return 'disputed'
    return round.submission.word === 'WONT_FIX' ? 'wont_fix' : 'approved'
  }

  #offer(followUps: readonly string[]): void {
    const { id, section } = this.#task
    const words = followUps.map(plainOf)
    const once = followUps.filter((_, i) => words.indexOf(words[i]!) === i)
    const tasks = once.map((title, i) => ({
      id: `${id}-${i + 1}`,
      title: title.slice(0, MOST_TITLE),
      ...(section ? { section } : {}),
    }))
    this.report.followUps.push(...tasks)
  }

  /** The coordinator's decision is part of every later prompt. An unclear coordinator changes nothing. */
  async #coordinate(): Promise<void> {
    const round = this.#state.rounds.at(-1)
    const { rejections } = this.report
    if (round?.review?.word !== 'REJECT' || round.guidance !== undefined || !COORDINATED.includes(rejections)) return
    const advice = await this.#ask('coordinator', round)
    if (advice !== null) {
      const { word: decision, notes } = advice
      await this.#record({ type: 'decision', decision, notes, cycle: rejections, ...this.#scope })
    }
    round.guidance = advice
    await this.#keep(null)
  }

  /** Counts rejections only: a round may end another way. */
  get #after(): { cycle?: number } {
    return this.report.rejections === 0 ? {} : { cycle: this.report.rejections }
  }

  async #keep(outcome: TaskOutcome | null): Promise<void> {
    const { state, warn } = this.#options
    this.#state.outcome = outcome
    await state?.write(this.#task, this.#state).catch((error: Error) => {
      warn(`cannot save the progress of ${this.#task.id}, so the next loop does not resume it: ${error.message}`)
    })
  }

  async #record(event: WorkflowEventInput): Promise<void> {
    const fate = await this.#options.workflow.record(event, this.#session)
    this.report.events.push({ type: event.type, fate })
  }

  /** Asks once more if the answer has no decision. Null if that does not help. */
  async #ask<Role extends LoopRole>(
    role: Role,
    submitted: Round | null,
  ): Promise<Decision<(typeof WORDS)[Role][number]> | null> {
    for (const reminder of ['', 'Your last answer had no NOTES and DECISION lines as asked. Give them this time.']) {
      const said = await this.#run(role, submitted, reminder)
      const decision = readDecision<(typeof WORDS)[Role][number]>(said, WORDS[role])
      // A person decides a dispute and reads the answer, so a second dispute needs no notes.
      const needsNotes = decision !== null && NEED_NOTES.includes(decision.word)
      const isEnough = !needsNotes || decision.notes !== '' || (reminder !== '' && decision.word === 'DISPUTE')
      const usable = isEnough ? decision : null
      this.report.steps.at(-1)!.decision = usable?.word ?? null
      if (usable !== null) return usable
    }
    this.#options.warn(`${this.#options.agents[role]} did not say what to do with task ${this.#task.id}`)
    return null
  }

  async #run(role: LoopRole, submitted: Round | null, reminder: string): Promise<string> {
    const { workflow, template, agents, project } = this.#options
    const session = ulid()
    const { title, description = '' } = this.#task
    const memory = await workflow.context(this.#scope, session, `${title}\n${description}`.trim())
    const prompt = await loopPrompt(role, { ...this.#state, task: this.#task, submitted, memory, reminder })
    const identifiers = { agentId: agents[role], projectId: project }
    const command = fillCommand(template, prompt)
    const { projectId: _, ...about } = this.#scope
    const { step, said } = await askAgent(this.#options, { command, identifiers, about, role, session })
    this.#session = session
    this.report.steps.push({ ...step, decision: null })
    if (step.exitCode !== 0) throw new AgentFailure(step.exitCode)
    return said
  }
}
