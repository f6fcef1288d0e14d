import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findPackageRoot } from '../package/package-root.ts'

export const TIER_PROMPTS = { 1: 'tier1-observe.md', 2: 'tier2-investigate.md', 3: 'tier3-remediate.md' } as const

/** The prompt of a tier, with the one text that teaches every agent how to leave something behind. */
export async function readTierPrompt(tier: keyof typeof TIER_PROMPTS): Promise<string> {
  const folder = join(findPackageRoot()!, 'agents')
  const [prompt, recording] = await Promise.all([
    readFile(join(folder, 'tiers', TIER_PROMPTS[tier]), 'utf8'),
    readFile(join(folder, 'memory-recording.md'), 'utf8'),
  ])
  return prompt.replace('{{memory-recording}}', () => recording.trimEnd())
}
