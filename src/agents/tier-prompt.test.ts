import { expect, it } from 'vitest'
import { captureMarkers } from '../capture/marker-scanner.ts'
import { OPERATIONAL_CATEGORIES } from '../model/categories.ts'
import { readTierPrompt } from './tier-prompt.ts'

it.each([1, 2, 3] as const)('[E36] the prompt of tier %i teaches how to leave a memory behind', async (tier) => {
  const prompt = await readTierPrompt(tier)
  const [, section] = prompt.split('## Memory Recording')
  for (const category of OPERATIONAL_CATEGORIES) expect(section).toContain(`\`${category}\``)
  expect(section).toContain('[MEMORY:category:service] observation')
  expect(prompt).not.toContain('{{')
})

it('teaches with examples that would be understood', async () => {
  const prompt = await readTierPrompt(1)
  const examples = prompt.split('\n').filter((line) => /^ {4}\[MEMORY:(?!category)/.test(line))
  // Verbatim examples are refused: an agent that prints its instructions stores nothing.
  const { candidates } = captureMarkers(examples.map((line) => line.trim().replace('] ', '] Here: ')).join('\n'))
  expect(candidates).toHaveLength(examples.length)
  expect(candidates.flatMap((candidate) => candidate.declares?.relation ?? [])).toEqual(['corrects', 'confirms'])
})

it('every tier has the same section', async () => {
  const sections = await Promise.all(
    ([1, 2, 3] as const).map(async (tier) => (await readTierPrompt(tier)).split('## Memory')[1]),
  )
  expect(new Set(sections).size).toBe(1)
})
