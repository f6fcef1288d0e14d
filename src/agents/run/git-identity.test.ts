import { expect, it } from 'vitest'
import { gitIdentity, gitIdentityEnvironment } from './git-identity.ts'

it.each([
  ['nori', 'Nori', 'coder', 'Nori (coder)', 'nori@nokosu.invalid'],
  ['nori', null, null, 'nori', 'nori@nokosu.invalid'],
  ['Team A/one', 'A <b>\nGIT', 'lead', 'A b GIT (lead)', 'team-a-one@nokosu.invalid'],
  ['味噌', '味噌', 'architect', '味噌 (architect)', 'agent@nokosu.invalid'],
])('names the commits of %s', (agent, displayName, role, name, email) => {
  expect(gitIdentity(agent, displayName, role)).toEqual({ name, email })
})

it('keeps an address that the caller has chosen', () => {
  const env = gitIdentityEnvironment(
    { name: 'Nori (coder)', email: 'nori@nokosu.invalid' },
    { GIT_AUTHOR_EMAIL: 'bot@example.org' },
  )
  expect(env).toMatchObject({ GIT_AUTHOR_EMAIL: 'bot@example.org', GIT_COMMITTER_EMAIL: 'nori@nokosu.invalid' })
})
