import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, snapshot } from '../surfaces/git-workspace.ts'
import { claudeWorkspace } from './claude.ts'
import { say } from './mock-api.ts'

it('[A05] [B02] personality, role, memories and the repository’s own text reach the model in this order, markers do not', async () => {
  const workspace = claudeWorkspace()
  const { repository } = workspace
  writeFileSync(join(repository, 'CLAUDE.md'), '# Shop rules\n\nPrices are never negative.\n')
  git(repository, 'add', '-A')
  git(repository, 'commit', '-qm', 'start')
  const before = snapshot(repository)
  for (const text of ['Prices are in cents', 'Tests need a running queue', 'The admin page is generated']) {
    await workspace.json(['add', '--layer', 'agent', '--agent', 'nori', '--project', 'shop', text])
  }
  await workspace.json(['inject', '--agent', 'nori', '--project', 'shop', '--workspace', repository])

  const { code, requests } = await workspace.claude(['-p', 'add a page'], [say('Done.')])
  expect(code).toBe(0)
  const { content } = requests[0]!.messages[0]!
  const message = typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n')
  const instructions = message.slice(message.indexOf('# Personality'))
  const order = ['# Personality', 'take precedence', '# Role: coder', '## Memory Recording', '# Shop rules']
  const places = order.map((part) => instructions.indexOf(part))
  expect(places).not.toContain(-1)
  expect(places.toSorted((a, b) => a - b)).toEqual(places)
  for (const fact of ['- The admin page is generated', '- Tests need a running queue', '- Prices are in cents']) {
    expect(message).toContain(fact)
  }
  expect(message).not.toContain('nokosu:begin')

  expect(git(repository, 'status', '--porcelain')).toBe('?? .claude/\n')
  await workspace.json(['inject', '--restore', '--workspace', repository])
  expect(snapshot(repository)).toEqual(before)
})
