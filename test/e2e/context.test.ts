import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { claudeWorkspace } from './claude.ts'
import { type MessagesRequest, say } from './mock-api.ts'

const CONTEXT = ['context', '--format', 'operational', '--project', 'shop']

type Workspace = ReturnType<typeof claudeWorkspace>

/** The output as `$(nokosu context ...)` gives it: the shell strips the trailing newline. */
async function print({ nokosu }: Workspace, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await nokosu(args)
  // Without memories, standard error lists the projects, and the prompt has no section.
  const hint = expect.stringMatching(/^(?:(?:nokosu: )?Nothing is stored for the project shop\..*\n)?$/)
  expect({ code, stderr }).toEqual({ code: 0, stderr: hint })
  return stdout.replace(/\n+$/, '')
}

/** The system prompt without its first block, which names the client's build and changes between runs. */
function systemPrompt(request: MessagesRequest | undefined): string[] {
  return request!.system.slice(1).map(({ text }) => text)
}

function firstMessage(request: MessagesRequest | undefined): string {
  const { role, content } = request!.messages[0]!
  expect(role).toBe('user')
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n')
}

it('[E11] what is remembered ends the system prompt of the next run, to the character', async () => {
  const workspace = claudeWorkspace()
  const add = (...args: string[]) => workspace.json(['add', '--project', 'shop', ...args])
  await add('--category', 'timing', '--service', 'jellyfin', 'Takes 60s to start; "ready" comes later – wait for it')
  await add('--category', 'dependency', '--service', 'caddy', `Reads $HOME/caddy.json, \`reload\` isn't enough`)
  await add('--category', 'maintenance', '--confidence', '0.9', 'Backups run at 03:00 UTC  (日本: 12:00)')
  await workspace.json(['add', '--project', 'warehouse', '--category', 'timing', 'Belongs to another project'])

  const block = await print(workspace, CONTEXT)
  expect(block).toMatch(/^## Operational Memory \(3 memories, ~\d+ tokens\)\n\n### caddy\n- \[dependency\] /)
  const { code, requests } = await workspace.claude(
    ['-p', 'check the services', '--append-system-prompt', block],
    [say('All is well.')],
  )
  expect(code).toBe(0)
  expect(requests).toHaveLength(1)
  const system = systemPrompt(requests[0])
  expect(system.at(-1)!.slice(-block.length - 2)).toBe(`\n\n${block}`)
  expect(system.join('\n')).not.toContain('another project')
})

it('[A05] the memory file that CLAUDE.md imports is in the first message, one item for each memory', async () => {
  const workspace = claudeWorkspace()
  const add = (...args: string[]) =>
    workspace.json(['add', '--layer', 'agent', '--agent', 'nori', '--project', 'shop', ...args])
  for (const text of ['Prices are in cents', 'Tests need a running queue', 'The admin page is generated'])
    await add(text)
  await workspace.json(['add', '--layer', 'agent', '--agent', 'koji', '--project', 'shop', 'Belongs to another agent'])

  const file = await print(workspace, ['context', '--format', 'file', '--agent', 'nori', '--project', 'shop'])
  expect(file.split('\n').filter((line) => line.startsWith('- '))).toEqual([
    '- The admin page is generated',
    '- Tests need a running queue',
    '- Prices are in cents',
  ])
  const path = join(workspace.repository, '.claude/memory/MEMORY.md')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${file}\n`)

  // Claude Code does not look for the file; only the import loads it.
  const before = await workspace.claude(['-p', 'add a page'], [say('Done.')])
  expect(JSON.stringify(before.requests)).not.toContain('Prices are in cents')
  writeFileSync(join(workspace.repository, 'CLAUDE.md'), 'You are nori.\n\n@.claude/memory/MEMORY.md\n')
  const after = await workspace.claude(['-p', 'add a page'], [say('Done.')])
  expect(after.code).toBe(0)
  expect(firstMessage(after.requests[0])).toContain(file)
  expect(JSON.stringify(after.requests)).not.toContain('another agent')
})
