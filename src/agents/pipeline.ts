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
  /** Null: nothing is kept of how far it came. */
  state: PipelineState | null
}

export interface PipelineStep extends AgentStep {
  /** How often the work had been sent back when this step began. */
  round: number
  /** The reviewer's or the tester's; null in every other step, and where one ends without. */
  verdict: Verdict | TestVerdict | null
}

export interface PipelineReport {
  /** That of the agent that failed, else that of the outcome. */
  exitCode: number
  /** `failed`: an agent ended with an error. `no verdict`: reviewer or tester did not say what they found. */
  outcome: 'done' | 'failed' | 'rejected' | 'no verdict' | 'tests failed'
  /** What the last agent said, for whoever goes on; empty when all is done. */
  handOff: string
  /** Of this pipeline. */
  steps: PipelineStep[]
  /** Agents that had done their part when an earlier one failed: they were not asked again. */
  resumed: string[]
}

/**
 * Architect, coder, reviewer and tester on one feature, each as itself with its own memories, each told everything that was said on it
 * so far: the design, the work as submitted, all findings. A rejection sends the work back to the coder; a failure ends the pipeline.
 */
export function runPipeline(options: PipelineOptions): Promise<PipelineReport> {
  checkBefore(options)
  return new Pipeline(options).run()
}

class Pipeline {
  readonly #options: PipelineOptions
  readonly #steps: PipelineStep[] = []
  readonly #resumed: string[] = []
  /** What was said so far, and how much of that an earlier pipeline heard. */
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
    // One that failed goes on there; any other end is one.
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
      this.#options.tell(`== ${agentId} (${role}): done by the pipeline that failed; --from-start asks again`)
      this.#resumed.push(agentId)
      this.#last = { from: from(role), said: known.said }
      return { exitCode: 0, verdict: known.verdict }
    }
    // From here on nothing is known of an earlier one.
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
      warn(`a pipeline that is run again will begin anew: ${error.message}`)
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

/** Leaves room for the hand-offs in a prompt. */
const MOST_FEATURE_BYTES = 64_000

/** What no agent could work with is refused before the first one starts. */
function checkBefore({ template, feature }: PipelineOptions): void {
  fillCommand(template, '')
  if (Buffer.byteLength(feature) <= MOST_FEATURE_BYTES) return
  throw new MemoryError(
    'CONTENT_TOO_LONG',
    `The feature has more than ${MOST_FEATURE_BYTES} bytes: put it into a file.`,
    { details: { field: 'feature', maxLength: MOST_FEATURE_BYTES } },
  )
}
