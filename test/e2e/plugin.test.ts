import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, inject, it, vi } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import type { Session } from '../../src/model/records.ts'
import { claudeWorkspace, toolResult } from './claude.ts'
import { type Answer, type MessagesRequest, say } from './mock-api.ts'
import { patientPlugin } from './patient-plugin.ts'

const PLUGIN = join(import.meta.dirname, '../../plugin')
const WITH_PLUGIN = ['--plugin-dir', patientPlugin()]

type Workspace = ReturnType<typeof claudeWorkspace>

function sentText(request: MessagesRequest | undefined): string {
  return request!.messages
    .flatMap(({ content }) => (typeof content === 'string' ? [content] : content.map(({ text }) => text ?? '')))
    .join('\n')
}

/** CLI and hooks detect the project from inside the repository. */
function inRepository({ repository, json }: Workspace) {
  // The hooks do not see the tests' settings, so both sides use the real model.
  const run = <T>(...args: string[]) => json<T>(args, { cwd: repository, env: { NOKOSU_EMBEDDING: 'local' } })
  return {
    add: (...args: string[]) => run('add', '--project', 'shop', ...args),
    list: async () => (await run<{ memories: Memory[] }>('list', '--project', 'shop')).memories,
    sessions: async () => (await run<{ sessions: Session[] }>('sessions', '--all')).sessions,
  }
}

const bash = (command: string): Answer => ({
  content: [{ type: 'tool_use', name: 'Bash', input: { command, description: 'Run it' } }],
})

it('what is remembered reaches the model, and what it says is remembered', async () => {
  const workspace = claudeWorkspace()
  const { add, list, sessions } = inRepository(workspace)
  await add('--category', 'timing', '--service', 'jellyfin', 'Takes 60s to start; “ready” comes later')
  const run = await workspace.claude(
    ['-p', 'check the services', ...WITH_PLUGIN],
    [say('Checked.\n[MEMORY:dependency:caddy] Needs DNS first\nAll is well.')],
  )
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('All is well.') })
  expect(run.requests).toHaveLength(1)
  const sent = sentText(run.requests[0])
  expect(sent).toContain('## Operational Memory (1 memory, ')
  expect(sent).toContain('- [timing] Takes 60s to start; “ready” comes later (confidence: 0.7)')
  expect(sent).toContain('## Memory Recording')

  const [session] = await sessions()
  expect(session).toMatchObject({ project: 'shop', endedAt: expect.any(String) })
  expect(await list()).toMatchObject([
    { content: 'Needs DNS first', service: 'caddy', session: session!.id, confidence: 0.7 },
    { recallCount: 1 },
  ])

  const next = await workspace.claude(['-p', 'again', ...WITH_PLUGIN], [say('Fine.')])
  expect(sentText(next.requests[0])).toContain('Needs DNS first')
})

it('what a session learned by failing is kept, in the time that Claude Code leaves its hooks at the end', async () => {
  const workspace = claudeWorkspace()
  const { list, sessions } = inRepository(workspace)
  writeFileSync(join(workspace.repository, 'check.sh'), 'test -f schema || { echo "error: no schema"; exit 1; }')
  const { code, stderr } = await workspace.claude(
    ['-p', 'check', '--allowedTools', 'Bash', ...WITH_PLUGIN],
    [bash('sh check.sh leases'), bash('touch schema'), bash('sh check.sh leases'), say('It works.')],
    // The default: 1.5 s.
    { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '1500', NOKOSU_HOOK_TIMEOUT: '' },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await vi.waitUntil(async () => (await sessions())[0]?.endedAt, { timeout: 120_000 })
  expect(await list()).toMatchObject([
    {
      content: '`sh check.sh leases` fails with "no schema" until `touch schema` has run.',
      source: 'observed',
      confidence: 0.5,
    },
  ])
})

it('a resumed session still has what it was shown, once', async () => {
  const workspace = claudeWorkspace()
  const { add, sessions } = inRepository(workspace)
  await add('--category', 'timing', 'Takes 60s to start')
  await workspace.claude(['-p', 'go', ...WITH_PLUGIN], [say('Fine.')])
  const [session] = await sessions()
  const { requests } = await workspace.claude(['-p', 'go on', '--resume', session!.id, ...WITH_PLUGIN], [say('Fine.')])
  expect(sentText(requests[0]).match(/Takes 60s to start \(confidence/g)).toHaveLength(1)
  expect(await sessions()).toHaveLength(1)
})

it('as much as may be shown arrives whole', async () => {
  const workspace = claudeWorkspace()
  const lines = Array.from(
    { length: 100 },
    (_, i) => `[MEMORY:behavior:part${i}] ${`It – waits ${i} times. `.repeat(9)}`,
  )
  const args = ['capture', '--format', 'text', '--project', 'shop', '--session', 's0']
  await workspace.json(args, { cwd: workspace.repository, input: lines.join('\n') })
  const { requests } = await workspace.claude(['-p', 'go', ...WITH_PLUGIN], [say('Fine.')])
  const sent = sentText(requests[0])
  const begin = sent.indexOf('Notes that earlier sessions left')
  const end = sent.indexOf('Most sessions record nothing; that is fine.')
  expect(end - begin).toBeGreaterThan(9000)
})

it('a repository where nothing was said to be remembered stays as it was', async () => {
  const workspace = claudeWorkspace()
  const { code, requests } = await workspace.claude(['-p', 'go', ...WITH_PLUGIN], [say('Fine.')])
  expect(code).toBe(0)
  expect(sentText(requests[0])).toContain('## Memory Recording')
  expect(readdirSync(workspace.repository)).toEqual(['.git'])
})

it.each(['text', 'json'])('with a broken store a run says and ends as without the plugin (%s)', async (format) => {
  const workspace = claudeWorkspace()
  mkdirSync(join(workspace.repository, '.nokosu'))
  writeFileSync(join(workspace.repository, '.nokosu/memory.db'), 'not a database'.repeat(1000))
  const script = [say('Done.\n[MEMORY:timing] Takes 60s')]
  const args = ['-p', 'go', '--output-format', format]
  const plain = await workspace.claude(args, script)
  const hooked = await workspace.claude([...args, ...WITH_PLUGIN], script)
  const outcome = ({ code, stdout, stderr }: typeof plain) => {
    const said = format === 'json' ? JSON.parse(stdout) : { result: stdout }
    return { code, stderr, result: said.result, subtype: said.subtype, isError: said.is_error }
  }
  expect(outcome(hooked)).toEqual(outcome(plain))
  expect(outcome(hooked)).toMatchObject({ code: 0, stderr: '' })
})

it('a run that fails has said its part: it is remembered, and the exit code stays', async () => {
  const workspace = claudeWorkspace()
  const { list } = inRepository(workspace)
  const first: Answer = {
    content: [
      { type: 'text', text: '[MEMORY:timing:jellyfin] Takes 60s to start' },
      { type: 'tool_use', name: 'Bash', input: { command: 'true', description: 'Wait' } },
    ],
  }
  const args = ['-p', 'go', '--allowedTools', 'Bash', ...WITH_PLUGIN]
  const { code } = await workspace.claude(args, [first, { status: 529, message: 'Overloaded' }])
  expect(code).toBe(1)
  expect(await list()).toMatchObject([{ content: 'Takes 60s to start' }])
})

it('/nokosu:remember asks the model to store it, with a command that it may run', async () => {
  const workspace = claudeWorkspace()
  const { list } = inRepository(workspace)
  const asked = 'the queue isn\'t emptied by "$(restart)"; `drain` it'
  const quoted = asked.replaceAll("'", `'\\''`)
  const run = await workspace.claude(
    ['-p', `/nokosu:remember ${asked}`, ...WITH_PLUGIN],
    [bash(`nokosu add --project shop --category behavior --service queue '${quoted}'`), say('Stored.')],
  )
  expect(run).toMatchObject({ code: 0, stdout: 'Stored.\n' })
  const prompt = sentText(run.requests[0])
  expect(prompt).toContain(`<to-remember>\n${asked}\n</to-remember>`)
  expect(prompt).toMatch(/ {4}nokosu add --project shop~[0-9a-f]{8} --category CATEGORY 'OBSERVATION'/)
  expect(JSON.stringify(run.requests[1]!.messages)).toContain('Remembered.')
  const said = { content: asked, category: 'behavior', service: 'queue', source: 'manual', trust: 'operator' }
  expect(await list()).toMatchObject([said])
})

it('/nokosu:recall gives the model what was found', async () => {
  const workspace = claudeWorkspace()
  const { add } = inRepository(workspace)
  await add('--layer', 'agent', '--agent', 'nori', '--category', 'learning', 'Prices are in cents')
  const run = await workspace.claude(
    ['-p', '/nokosu:recall prices', ...WITH_PLUGIN],
    [bash("nokosu search --project shop --agent '*' 'prices in cents'"), say('In cents.')],
  )
  expect(run).toMatchObject({ code: 0, stdout: 'In cents.\n' })
  const prompt = sentText(run.requests[0])
  expect(prompt).toContain('<to-recall>\nprices\n</to-recall>')
  expect(prompt).toContain("    nokosu search --project shop --agent '*' 'QUERY'")
  expect(toolResult(run.requests[1])).toContain('Prices are in cents')
})

it('neither command lets the model run anything else', async () => {
  const workspace = claudeWorkspace()
  const trace = join(workspace.repository, 'trace')
  const run = await workspace.claude(
    ['-p', '/nokosu:recall prices', ...WITH_PLUGIN],
    [bash(`nokosu search --project shop 'prices'; touch ${trace}`), say('No.')],
  )
  expect(run.code).toBe(0)
  expect(readdirSync(workspace.repository)).not.toContain('trace')
})

it('nokosu plugin install makes it work in every session, and Claude Code finds nothing wrong with it', async () => {
  const workspace = claudeWorkspace()
  const { repository, folder, nokosu } = workspace
  const tools = join(folder, 'tools')
  mkdirSync(tools)
  symlinkSync(inject('claudeBinary'), join(tools, 'claude'))
  const env = {
    PATH: `${tools}${delimiter}${process.env.PATH}`,
    HOME: join(folder, 'home'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  const run = (...args: string[]) => nokosu(['plugin', ...args], { cwd: repository, env })
  const valid = await run('validate', '--json')
  expect(valid.code).toBe(0)
  expect(JSON.parse(valid.stdout)).toMatchObject({ valid: true, path: PLUGIN })
  for (const _ of [1, 2]) {
    const installed = await run('install', '--json')
    expect(installed).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(installed.stdout)).toMatchObject({ plugin: 'nokosu@nokosu', scope: 'user', path: PLUGIN })
  }
  const { list } = inRepository(workspace)
  const { code, requests } = await workspace.claude(['-p', 'go'], [say('[MEMORY:timing] Takes 60s')])
  expect(code).toBe(0)
  expect(sentText(requests[0])).toContain('## Memory Recording')
  expect(await list()).toMatchObject([{ content: 'Takes 60s' }])
})

it('nokosu setup installs it once, and --undo leaves nothing of it in the folder of Claude Code', async () => {
  const { repository, folder, nokosu } = claudeWorkspace()
  const tools = join(folder, 'tools')
  mkdirSync(tools)
  symlinkSync(inject('claudeBinary'), join(tools, 'claude'))
  const own = join(folder, 'home/.claude')
  mkdirSync(own)
  const settings = '{\n     "permissions": { "allow": ["Bash(ls:*)"] }\n}\n'
  writeFileSync(join(own, 'settings.json'), settings)
  const env = {
    PATH: `${tools}${delimiter}${process.env.PATH}`,
    HOME: join(folder, 'home'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  const setup = async (...args: string[]) => {
    const { code, stdout } = await nokosu(['setup', '--only', 'claude-code', '--yes', '--json', ...args], {
      cwd: repository,
      env,
    })
    expect(code).toBe(0)
    return JSON.parse(stdout) as { applied: boolean }
  }
  expect((await setup()).applied).toBe(true)
  expect(JSON.parse(readFileSync(join(own, 'settings.json'), 'utf8')).enabledPlugins).toEqual({ 'nokosu@nokosu': true })
  expect((await setup()).applied).toBe(false)
  expect((await setup('--undo')).applied).toBe(true)
  expect(readFileSync(join(own, 'settings.json'), 'utf8')).toBe(settings)
  // Files that Claude Code writes on every run.
  const others = readdirSync(own).filter((name) => name !== 'backups')
  expect(others).toEqual(['settings.json'])
})
