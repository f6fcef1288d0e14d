import { arch, hostname, platform } from 'node:os'
import { fillCommand, renderHandOff } from './agent-prompt.ts'
import { type AgentSetup, type AgentStep, askAgent } from './ask-agent.ts'
import { OUTCOME_EXIT } from './outcome-exit.ts'
import { isClaude } from './run/hand-over.ts'
import { readTierEnd, type TierEnd } from './tier-end.ts'
import { readTierPrompt } from './tier-prompt.ts'

export type OperationTier = 1 | 2 | 3

const TIER_NAMES = { 1: 'observe', 2: 'investigate', 3: 'remediate' } as const satisfies Record<OperationTier, string>

export interface TierOptions extends AgentSetup {
  project: string
  tier: OperationTier
  services: readonly string[]
  /** Findings of the previous tier; empty if there was none. */
  handOff: string
  /** Whether an escalation starts the next tier. */
  escalate: boolean
}

export interface TierStep extends AgentStep, TierEnd {
  tier: OperationTier
}

export interface TierReport {
  /** The exit code of a failed agent, otherwise that of the last outcome. */
  exitCode: number
  /** `failed`: an agent ended with an error. */
  outcome: TierEnd['ending'] | 'failed'
  steps: TierStep[]
  /** Information for the next reader; empty if the last step asked for nobody. */
  handOff: string
}

const EXIT = {
  'all clear': 0,
  resolved: 0,
  escalates: OUTCOME_EXIT.escalated.exit,
  'needs a person': OUTCOME_EXIT.needsPerson.exit,
  unclear: OUTCOME_EXIT.unclear.exit,
} as const satisfies Record<TierEnd['ending'], number>

/** A session of one tier, and with `escalate` also of higher tiers, as long as each asks for the next. */
export async function runTiers(options: TierOptions): Promise<TierReport> {
  const steps: TierStep[] = []
  let handOff = renderHandOff('the tier before', options.handOff)
  for (let tier = options.tier; ; tier++) {
    const { step, said } = await askTier(options, tier as OperationTier, handOff)
    const end = readTierEnd(step.exitCode === 0 ? said : '', handOff)
    steps.push({ ...step, ...end, tier: tier as OperationTier })
    const asks = end.ending === 'escalates' || end.ending === 'needs a person'
    handOff = asks ? renderHandOff(`tier ${tier}`, said) : ''
    if (step.exitCode !== 0) return { exitCode: step.exitCode, outcome: 'failed', steps, handOff }
    if (!options.escalate || end.ending !== 'escalates' || tier === 3) {
      return { exitCode: EXIT[end.ending], outcome: end.ending, steps, handOff }
    }
  }
}

async function askTier(options: TierOptions, tier: OperationTier, handOff: string) {
  const { template, project: projectId } = options
  const prompt = await readTierPrompt(tier)
  const environment = describeEnvironment(tier, options.services)
  const afterMemory = handOff === '' ? '' : `## Hand-off\n\n${handOff}`
  const shared = { identifiers: { projectId }, role: TIER_NAMES[tier], tier }
  // The run puts the memories between the two. A command other than Claude Code has no system prompt to append to.
  if (isClaude(template)) {
    const command = fillCommand(template, prompt)
    return askAgent(options, { ...shared, command, beforeMemory: environment, afterMemory })
  }
  const context = [prompt.trimEnd(), environment, afterMemory].filter((text) => text !== '').join('\n\n')
  return askAgent(options, { ...shared, command: fillCommand(template, context) })
}

function describeEnvironment(tier: OperationTier, services: readonly string[]): string {
  const lines = [
    `- Host: ${hostname()} (${platform()} ${arch()})`,
    `- Time: ${new Date().toISOString()}`,
    `- Tier: ${tier} (${TIER_NAMES[tier]})`,
    ...(services.length === 0 ? [] : [`- Services: ${services.join(', ')}`]),
  ]
  return `## Environment\n\n${lines.join('\n')}`
}
