import { MemoryError } from '../model/errors.ts'
import { fillCommand, fillPrompt, fitHandOffs, type HandOff, renderHandOff, section } from './agent-prompt.ts'
import { type AgentSetup, type AgentStep, askAgent } from './ask-agent.ts'
import { readTestVerdict, readVerdict, type TestVerdict, type Verdict } from './decision.ts'
import { OUTCOME_EXIT } from './outcome-exit.ts'
import type { EarlierAnswer, PipelineState } from './pipeline-state.ts'
import { readPrompt } from './read-prompt.ts'
import { type Role, usualRole } from './role-prompt.ts'

export interface PipelineOptions extends AgentSetup {
  project: string
  feature: string
  /** How often the reviewer may send the work back. */
  rounds: number
  /** Null: progress is not saved. */
  state: PipelineState | null
}

export interface PipelineStep extends AgentStep {
  /** How often the work had been rejected when this step began. */
  round: number
  /** The verdict of the reviewer or tester; null in every other step, or if there was none. */
  verdict: Verdict | TestVerdict | null
}

export interface PipelineReport {
  /** The exit code of the failed agent, otherwise that of the outcome. */
  exitCode: number
  /** `failed`: an agent ended with an error. `no verdict`: the reviewer or tester did not state a result. */
  outcome: 'done' | 'failed' | 'rejected' | 'no verdict' | 'tests failed'
  /** The last agent's answer, for the next reader; empty when all is done. */
  handOff: string
  /** The sessions of this pipeline. */
  steps: PipelineStep[]
  /** Agents that finished before an earlier attempt failed and were not asked again. */
  resumed: string[]
}

/**
 * Architect, coder, reviewer and tester work on one feature, each with its own memories and personality. Each is told everything said
 * so far: the design, the submitted work, all findings. A rejection sends the work back to the coder; a failure ends the pipeline.
 */
export function runPipeline(options: PipelineOptions): Promise<PipelineReport> {
  checkBefore(options)
  return new Pipeline(options).run()
}

class Pipeline {
  readonly #options: PipelineOptions
  readonly #steps: PipelineStep[] = []
  readonly #resumed: string[] = []
  /** What was said so far, and how much of that came from an earlier attempt. */
  #answers: EarlierAnswer[] = []
  #earlier = 0
  #asked = 0
  #design: HandOff[] = []
  #work: HandOff[] = []
  readonly #reviews: HandOff[] = []
  #last: HandOff = { from: '', said: '' }

  constructor(options: PipelineOptions) {
    this.#options = options
  }

  async run(): Promise<PipelineReport> {
    this.#answers = (await this.#options.state?.read()) ?? []
    this.#earlier = this.#answers.length
    const report = await this.#runAll()
    // A failed pipeline resumes there; any other end is final.
    if (report.outcome !== 'failed' && report.outcome !== 'no verdict') await this.#options.state?.forget()
    return report
  }

  async #runAll(): Promise<PipelineReport> {
    const design = await this.#ask('miso', 0)
    if (design.exitCode !== 0) return this.#end('failed', design.exitCode)
    this.#design = [this.#last]
    const { exit: unclear } = OUTCOME_EXIT.unclear
    for (let round = 0; ; round++) {
      const work = await this.#ask('nori', round)
      if (work.exitCode !== 0) return this.#end('failed', work.exitCode)
      this.#work = [this.#last]
      const review = await this.#ask('koji', round)
      if (review.exitCode !== 0) return this.#end('failed', review.exitCode)
      this.#reviews.push(this.#last)
      if (review.verdict === null) return this.#end('no verdict', unclear)
      if (review.verdict === 'APPROVE') break
      if (round >= this.#options.rounds) return this.#end('rejected', OUTCOME_EXIT.rejected.exit)
    }
    const test = await this.#ask('toro', 0)
    if (test.exitCode !== 0) return this.#end('failed', test.exitCode)
    if (test.verdict === null) return this.#end('no verdict', unclear)
    return test.verdict === 'PASSED' ? this.#end('done', 0) : this.#end('tests failed', OUTCOME_EXIT.testsFailed.exit)
  }

  async #ask(agentId: string, round: number): Promise<Pick<PipelineStep, 'exitCode' | 'verdict'>> {
    const from = (role: string) => (round === 0 ? `${agentId}, ${role}` : `${agentId}, ${role}, round ${round + 1}`)
    const role = usualRole(agentId) as Role
    const known = this.#asked < this.#earlier ? this.#answers[this.#asked] : undefined
    this.#asked++
    if (known?.agent === agentId && known.round === round) {
      this.#options.tell(`== ${agentId} (${role}): done in the failed pipeline; --from-start asks again`)
      this.#resumed.push(agentId)
      this.#last = { from: from(role), said: known.said }
      return { exitCode: 0, verdict: known.verdict }
    }
    // From here on the earlier attempt no longer matters.
    this.#earlier = 0
    const { feature, template, project } = this.#options
    const prompt = fillPrompt(await readPrompt('pipeline', `${role}.md`), { feature, ...this.#told() })
    const identifiers = { agentId, projectId: project }
    const { step, said } = await askAgent(this.#options, { command: fillCommand(template, prompt), identifiers, role })
    this.#last = { from: from(role), said }
    const verdict = step.exitCode === 0 ? verdictOf(role, said) : null
    this.#steps.push({ ...step, round, verdict })
    const isDone = step.exitCode === 0 && (verdict !== null || (role !== 'reviewer' && role !== 'tester'))
    if (isDone) await this.#keep({ agent: agentId, round, said, verdict })
    return this.#steps.at(-1)!
  }

  async #keep(answer: EarlierAnswer): Promise<void> {
    const { state, warn } = this.#options
    this.#answers = [...this.#answers.slice(0, this.#asked - 1), answer]
    await state?.write(this.#answers).catch((error: Error) => {
      warn(`cannot save the progress, so the pipeline starts over when run again: ${error.message}`)
    })
  }

  #told(): Record<string, string> {
    return fitHandOffs((one) => ({
      design: section('Design', ...this.#design.map(one)),
      work: section('Work', ...this.#work.map(one)),
      reviews: section('Reviews so far', ...this.#reviews.map(one)),
    }))
  }

  #end(outcome: PipelineReport['outcome'], exitCode: number): PipelineReport {
    const handOff = outcome === 'done' ? '' : renderHandOff(this.#last.from, this.#last.said)
    return { exitCode, outcome, handOff, steps: this.#steps, resumed: this.#resumed }
  }
}

function verdictOf(role: Role, said: string): PipelineStep['verdict'] {
  if (role === 'reviewer') return readVerdict(said)
  return role === 'tester' ? readTestVerdict(said) : null
}

/** Leaves room for hand-offs in a prompt. */
const MOST_FEATURE_BYTES = 64_000

/** Rejects input that no agent could use before the first one starts. */
function checkBefore({ template, feature }: PipelineOptions): void {
  fillCommand(template, '')
  if (Buffer.byteLength(feature) <= MOST_FEATURE_BYTES) return
  throw new MemoryError(
    'CONTENT_TOO_LONG',
    `The feature has more than ${MOST_FEATURE_BYTES} bytes. Put it in a file and name the file.`,
    { details: { field: 'feature', maxLength: MOST_FEATURE_BYTES } },
  )
}
