import { arch, hostname, platform } from 'node:os'
import { fillCommand, renderHandOff } from './agent-prompt.ts'
import { type AgentSetup, type AgentStep, askAgent } from './ask-agent.ts'
import { isClaude } from './run/hand-over.ts'
import { readTierPrompt } from './tier-prompt.ts'

export type OperationTier = 1 | 2 | 3

const TIER_NAMES = { 1: 'observe', 2: 'investigate', 3: 'remediate' } as const satisfies Record<OperationTier, string>

export interface TierOptions extends AgentSetup {
  project: string
  tier: OperationTier
  services: readonly string[]
  /** What the tier before found; empty when there was none. */
  handOff: string
  /** Whether an escalation starts the next tier. */
  escalate: boolean
}

export interface TierStep extends AgentStep {
  tier: OperationTier
  /** What the agent passes on to the next tier, each `ESCALATE:` line; empty when all is well. */
  escalations: string[]
}

export interface TierReport {
  exitCode: number
  steps: TierStep[]
  /** What the next tier should be told; empty when the last step did not escalate. */
  handOff: string
}

/** A session of one tier, and with `escalate` of those above it for as long as each asks for the next. */
export async function runTiers(options: TierOptions): Promise<TierReport> {
  const steps: TierStep[] = []
  let handOff = renderHandOff('the tier before', options.handOff)
  for (let tier = options.tier; ; tier++) {
    const { step, said } = await askTier(options, tier as OperationTier, handOff)
    const escalations = step.exitCode === 0 ? readEscalations(said) : []
    steps.push({ ...step, tier: tier as OperationTier, escalations })
    handOff = escalations.length === 0 ? '' : renderHandOff(`tier ${tier}`, said)
    if (!options.escalate || escalations.length === 0 || tier === 3) {
      return { exitCode: step.exitCode, steps, handOff }
    }
  }
}

async function askTier(options: TierOptions, tier: OperationTier, handOff: string) {
  const { template, project: projectId } = options
  const prompt = await readTierPrompt(tier)
  const environment = describeEnvironment(tier, options.services)
  const afterMemory = handOff === '' ? '' : `## Hand-off\n\n${handOff}`
  const shared = { identifiers: { projectId }, role: TIER_NAMES[tier], tier }
  // The run puts the memories between the two. A command that is not Claude Code has no system prompt to append to.
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

function readEscalations(said: string): string[] {
  return [...said.matchAll(/^[*_`]*ESCALATE:[ \t]*(.+?)[*_`]*[ \t]*$/gm)].map(([, what]) => what!)
}
