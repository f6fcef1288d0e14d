import { readPrompt } from './read-prompt.ts'

export const TIER_PROMPTS = { 1: 'tier1-observe.md', 2: 'tier2-investigate.md', 3: 'tier3-remediate.md' } as const

/** The prompt of a tier, with its section on recording. */
export async function readTierPrompt(tier: keyof typeof TIER_PROMPTS): Promise<string> {
  return readPrompt('tiers', TIER_PROMPTS[tier])
}
