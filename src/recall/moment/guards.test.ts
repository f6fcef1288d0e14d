import { describe, expect, it } from 'vitest'
import { guardOf } from './guards.ts'
import { readScene } from './scene.ts'

const bash = (command: string) => readScene({ kind: 'tool', name: 'Bash', input: { command } })
const edit = (file_path: string) => readScene({ kind: 'tool', name: 'Edit', input: { file_path, new_string: 'x' } })
const guards = (pattern: string, scene: ReturnType<typeof bash>) => guardOf({ tags: [`guards:${pattern}`] }, scene)

describe('what a memory guards', () => {
  it.each([
    ['terraform apply', bash('cd infra && sudo terraform -chdir=prod apply -auto-approve')],
    ['terraform apply', bash('/usr/local/bin/terraform apply')],
    ['git push * main', bash('git push origin main')],
    ['terraform', bash('terraform plan')],
    ['db/migrations', edit('/repo/db/migrations/0042_users.sql')],
    ['db/migrations/', edit('db/migrations/0042_users.sql')],
    ['infra/*.tf', edit('/repo/infra/prod/main.tf')],
    ['.env', bash('cat /srv/app/.env')],
    ['mcp__jira__*', readScene({ kind: 'tool', name: 'mcp__jira__create_issue', input: {} })],
    ['Edit', edit('a.ts')],
  ])('%s: the action that it names', (pattern, scene) => {
    expect(guards(pattern, scene)).toBe(pattern)
  })

  it.each([
    ['terraform apply', bash('terraform plan')],
    ['terraform apply', bash('echo terraform apply')],
    ['terraform apply', bash('apply terraform')],
    ['terraform', bash('terraforms plan')],
    ['db/migrations', edit('/repo/db/migrations-old/1.sql')],
    ['infra/*.tf', edit('/repo/infra/main.tfvars')],
    ['.env', edit('/repo/x.env')],
    ['mcp__jira__*', readScene({ kind: 'tool', name: 'mcp__wiki__read', input: {} })],
    ['*', readScene({ kind: 'prompt', text: 'terraform apply' })],
    ['terraform apply', readScene({ kind: 'failure', name: 'Bash', input: 'terraform apply', error: 'locked' })],
    [' ', bash('ls')],
  ])('%s: nothing else', (pattern, scene) => {
    expect(guards(pattern, scene)).toBeNull()
  })

  it('reads eight patterns, and takes no longer for one that is made to be slow', () => {
    const tags = Array.from({ length: 9 }, (_, i) => `guards:tool${i}`)
    const use = (name: string) => readScene({ kind: 'tool', name, input: {} })
    expect(guardOf({ tags }, use('tool7'))).toBe('tool7')
    expect(guardOf({ tags }, use('tool8'))).toBeNull()
    expect(guards('*a'.repeat(28), edit(`${'a'.repeat(3000)}b`))).toBeNull()
  })
})
