import { MemoryError } from '../model/errors.ts'
import { fillCommand, fillPrompt, renderHandOff } from './agent-prompt.ts'
import { type AgentSetup, type AgentStep, askAgent } from './ask-agent.ts'
import { readVerdict, type Verdict } from './decision.ts'
import { readPrompt } from './read-prompt.ts'
import { type Role, usualRole } from './role-prompt.ts'

export interface PipelineOptions extends AgentSetup {
  project: string
  feature: string
  /** How often the reviewer may send the work back. */
  rounds: number
}

export interface PipelineStep extends AgentStep {
  /** How often the work had been sent back when this step began. */
  round: number
  /** The reviewer's; null in every other step, and where a review ends without one. */
  verdict: Verdict | null
}

export interface PipelineReport {
  /** That of the agent that failed; 1 when the review did not end well. */
  exitCode: number
  outcome: 'done' | 'failed' | 'rejected' | 'no verdict'
  steps: PipelineStep[]
}

/**
 * Architect, coder, reviewer and tester on one feature, each as itself with its own memories, each told what the one before
 * said. A rejection sends the work back to the coder; a failure ends the pipeline.
 */
export async function runPipeline(options: PipelineOptions): Promise<PipelineReport> {
  checkBefore(options)
  const steps: PipelineStep[] = []
  let handOff = ''

  async function ask(agentId: string, round: number): Promise<PipelineStep> {
    const role = usualRole(agentId) as Role
    const text = await readPrompt('pipeline', `${role}.md`)
    const prompt = fillPrompt(text, { feature: options.feature, handoff: handOff })
    const identifiers = { agentId, projectId: options.project }
    const answer = await askAgent(options, { command: fillCommand(options.template, prompt), identifiers, role })
    handOff = renderHandOff(`${agentId}, ${role}`, answer.said)
    const verdict = role === 'reviewer' && answer.step.exitCode === 0 ? readVerdict(answer.said) : null
    const step = { ...answer.step, round, verdict }
    steps.push(step)
    return step
  }

  const end = (outcome: PipelineReport['outcome'], exitCode: number): PipelineReport => ({ exitCode, outcome, steps })

  const design = await ask('miso', 0)
  if (design.exitCode !== 0) return end('failed', design.exitCode)
  for (let round = 0; ; round++) {
    const work = await ask('nori', round)
    if (work.exitCode !== 0) return end('failed', work.exitCode)
    const review = await ask('koji', round)
    if (review.exitCode !== 0) return end('failed', review.exitCode)
    if (review.verdict === null) return end('no verdict', 1)
    if (review.verdict === 'APPROVE') break
    if (round >= options.rounds) return end('rejected', 1)
  }
  const test = await ask('toro', 0)
  return test.exitCode === 0 ? end('done', 0) : end('failed', test.exitCode)
}

/** Leaves room for the hand-off in a prompt. */
const MOST_FEATURE_BYTES = 64_000

/** What no agent could work with is refused before the first one starts. */
function checkBefore({ template, feature }: PipelineOptions): void {
  fillCommand(template, '')
  if (Buffer.byteLength(feature) <= MOST_FEATURE_BYTES) return
  throw new MemoryError(
    'CONTENT_TOO_LONG',
    `The feature has more than ${MOST_FEATURE_BYTES} bytes: put it into a file.`,
    {
      details: { field: 'feature', maxLength: MOST_FEATURE_BYTES },
    },
  )
}
