import { expect, it } from 'vitest'
import { ROLES, readRolePrompt, usualRole } from './role-prompt.ts'
import { readTierPrompt } from './tier-prompt.ts'

it.each(ROLES)('[B11] the %s has instructions of its own, and the shared section on recording', async (role) => {
  const prompt = await readRolePrompt(role)
  expect(prompt).toMatch(new RegExp(`^# Role: ${role}\n`))
  expect(prompt).not.toContain('{{')
  const section = (text: string) => text.split('## Memory Recording')[1]
  expect(section(prompt)).toBe(section(await readTierPrompt(1)))
})

it('knows the usual role of the four agents', () => {
  expect(['miso', 'nori', 'koji', 'toro'].map(usualRole)).toEqual(ROLES)
  expect(usualRole('wasabi')).toBeNull()
})

it.each(['chef', '../tiers/tier1-observe', '', 'constructor'])('refuses a role that there is not: %j', async (role) => {
  await expect(readRolePrompt(role)).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { field: 'role' } })
})
