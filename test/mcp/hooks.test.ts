import { expect, it, vi } from 'vitest'
import type { OwnMemories } from '../../src/engine/nokosu.ts'
import { type HookSettings, Hooks } from '../../src/mcp/hooks.ts'
import { call, memoryWithClients } from './mcp-client.ts'

const SHOP = { projectId: 'shop' }
const FREEZE = 'Run terraform plan -lock=false in CI, terraform apply only from the bastion'
const FREEZE_LOG = 'Plan: 3 to add. Next: terraform apply, only from the bastion'
const PAGER = 'The pager rota of the payments team is kept in Opsgenie'

/** A server whose hooks are called like Claude Code does: all fields are strings, the tool's input as JSON. */
async function shop(settings: Partial<HookSettings> = {}, contents: readonly string[] = [FREEZE, PAGER]) {
  const { memory, connect } = await memoryWithClients()
  for (const content of contents) await memory.as(SHOP).add({ layer: 'project', content })
  const client = await connect(SHOP, { hooks: new Hooks({ timeoutMs: 10_000, ...settings }) })
  const ask = async (args: Record<string, unknown>) => {
    const { text, isError } = await call(client, 'memory_recall', { session: 's1', ...args })
    expect(isError).toBe(false)
    return text
  }
  const onTool = (command: string, more: object = {}) =>
    ask({ event: 'PreToolUse', tool: 'Bash', input: JSON.stringify({ command }), ...more })
  const onPrompt = (prompt: string) => ask({ event: 'UserPromptSubmit', prompt })
  return { memory, client, ask, onTool, onPrompt }
}

function contextIn(text: string, event: string): string {
  const { hookSpecificOutput } = JSON.parse(text)
  expect(hookSpecificOutput).toMatchObject({ hookEventName: event })
  return hookSpecificOutput.additionalContext
}

it('a hook is answered with what a command hook prints, once a session, and the showing is recorded', async () => {
  const { memory, onTool, onPrompt } = await shop()
  expect(await onPrompt('make the layout of the start page wider')).toBe('{}')
  expect(contextIn(await onTool('cd infra && terraform apply'), 'PreToolUse')).toContain(FREEZE)
  expect(await onTool('terraform apply')).toBe('{}')
  expect(contextIn(await onTool('terraform apply', { session: 's2' }), 'PreToolUse')).toContain(FREEZE)
  const { injections } = await memory.injections({ session: 's1', everything: true })
  expect(injections).toMatchObject([{ format: 'moment:tool terraform apply' }])
})

it('the first prompt of a session is kept with it', async () => {
  const { memory, onPrompt } = await shop()
  await onPrompt('who has the pager rota of payments?')
  await onPrompt('and now something else')
  await expect
    .poll(async () => (await memory.runs({ everything: true })).runs)
    .toMatchObject([{ prompt: 'who has the pager rota of payments?', session: { id: 's1', project: 'shop' } }])
})

it('a failed command, and a prompt', async () => {
  const { ask, onPrompt } = await shop()
  const failed = await ask({
    event: 'PostToolUseFailure',
    tool: 'Bash',
    input: '{"command":"./deploy"}',
    error: 'Exit code 1\nterraform apply: state is locked, apply only from the bastion',
  })
  expect(contextIn(failed, 'PostToolUseFailure')).toContain(FREEZE)
  expect(contextIn(await onPrompt('who has the pager rota of payments?'), 'UserPromptSubmit')).toContain(PAGER)
})

it('what a tool answers, in whatever shape: a command, a file, a server, a text without end', async () => {
  const { ask } = await shop()
  const answers = [
    JSON.stringify({ stdout: FREEZE_LOG, stderr: '', interrupted: false }),
    JSON.stringify({ type: 'text', file: { filePath: '/srv/ci.log', content: FREEZE_LOG, numLines: 1 } }),
    JSON.stringify([{ type: 'text', text: FREEZE_LOG }]),
    FREEZE_LOG,
    JSON.stringify({ stdout: `${'.'.repeat(2_000_000)}\n${FREEZE_LOG}` }),
  ]
  for (const [i, output] of answers.entries()) {
    const text = await ask({
      event: 'PostToolUse',
      tool: 'Bash',
      input: '{"command":"make"}',
      output,
      session: `o${i}`,
    })
    expect(contextIn(text, 'PostToolUse')).toContain(FREEZE)
  }
})

it('a tool that answered nothing is no moment', async () => {
  const { ask } = await shop()
  const input = '{"command":"terraform apply"}'
  for (const output of ['', '{"stdout":"","stderr":""}', '[]', '{}'])
    expect(await ask({ event: 'PostToolUse', tool: 'Bash', input, output })).toBe('{}')
})

/** Fails, then changes a file and a table, then works. */
const STUMBLE = [
  {
    event: 'PostToolUseFailure',
    tool: 'Bash',
    input: '{"command":"make check"}',
    error: 'Exit code 1\nno table leases',
  },
  { event: 'PostToolUse', tool: 'Read', input: '{"file_path":"Makefile"}', output: '"check: migrate"' },
  { event: 'PostToolUse', tool: 'Bash', input: '{"command":"make migrate"}', output: '{"stdout":"ok"}' },
  { event: 'PostToolUse', tool: 'Bash', input: '{"command":"make check"}', output: '{"stdout":"ok"}' },
]

it('a lesson is kept as soon as what failed works, and not again at the end of the session', async () => {
  const { memory, ask } = await shop({}, [])
  for (const step of [...STUMBLE, STUMBLE[3]!]) await ask(step)
  const lessons = async () => (await memory.as(SHOP).list({ source: 'observed' })).memories
  await vi.waitUntil(async () => (await lessons()).length > 0)
  const content = '`make check` fails with "no table leases" until `make migrate` has run.'
  expect(await lessons()).toMatchObject([{ content, confidence: 0.5, session: 's1', category: 'dependency' }])
  // Another session is warned in advance; this one already knows.
  const before = { event: 'PreToolUse', tool: 'Bash', input: '{"command":"make check"}' }
  expect(await ask(before)).toBe('{}')
  expect(await ask({ ...before, session: 's3' })).toContain('until `make migrate` has run')
  const said = { content, category: 'dependency', source: 'observed', confidence: 0.5 } as const
  await memory.as(SHOP).remember([said], { session: 's1' })
  expect(await lessons()).toMatchObject([{ content, confidence: 0.5 }])
  await memory.as(SHOP).remember([said], { session: 's2' })
  expect(await lessons()).toMatchObject([{ content, confidence: 0.6 }])
})

it.each<[string, Partial<HookSettings>, object]>([
  ['where lessons are switched off', { lessons: false }, {}],
  ['inside a run, which hears everything itself', { session: 'run-1' }, {}],
  ['where another server answers', { isSilent: true }, {}],
  ['of a session that nobody names', {}, { session: '' }],
])('no lesson is kept %s', async (_, settings, more) => {
  const { memory, ask } = await shop(settings, [])
  for (const step of STUMBLE) await ask({ ...step, ...more })
  // Writes happen in the background, and later calls see them.
  await memory.as(SHOP).add('The last to be written')
  expect((await memory.as(SHOP).list()).memories).toMatchObject([{ content: 'The last to be written' }])
})

it('inside a run all that is shown is the run’s', async () => {
  const { memory, onTool } = await shop({ session: 'run-1' })
  await onTool('terraform apply')
  const { injections } = await memory.injections({ session: 'run-1', everything: true })
  expect(injections).toHaveLength(1)
  expect(await onTool('terraform apply', { session: 'another of the same run' })).toBe('{}')
})

it('after a compaction the session is told again what its prompt asks for, and what it needs later', async () => {
  const { ask, onTool, onPrompt } = await shop()
  expect(await onPrompt('who has the pager rota of payments?')).toContain(PAGER)
  expect(await onTool('terraform apply')).toContain(FREEZE)
  expect(contextIn(await ask({ event: 'SessionStart' }), 'SessionStart')).toContain(PAGER)
  expect(await onTool('terraform apply')).toContain(FREEZE)
  expect(await onTool('terraform apply')).toBe('{}')
})

it.each(['prompt', 'tool', 'failure', 'output'] as const)('the moment %s can be switched off', async (kind) => {
  const moments = { prompt: true, tool: true, failure: true, output: true, [kind]: false }
  const { ask, onTool, onPrompt } = await shop({ moments })
  const shown = {
    prompt: await onPrompt('terraform apply from the bastion'),
    tool: await onTool('terraform apply', { session: 's2' }),
    failure: await ask({ event: 'PostToolUseFailure', error: 'terraform apply is locked in CI', session: 's3' }),
    output: await ask({ event: 'PostToolUse', tool: 'Bash', output: FREEZE_LOG, session: 's4' }),
  }
  expect(Object.values(shown).filter((text) => text.includes(FREEZE))).toHaveLength(3)
  expect(shown[kind]).toBe('{}')
})

it('says nothing where another server answers, about its own tools, and for what makes no sense', async () => {
  const silent = await shop({ isSilent: true })
  expect(await silent.onTool('terraform apply')).toBe('{}')
  const { ask } = await shop()
  const own = { tool: 'mcp__plugin_nokosu_memory__memory_search', input: '{"query":"terraform apply in CI"}' }
  expect(await ask({ event: 'PreToolUse', ...own })).toBe('{}')
  expect(await ask({ event: 'PreToolUse', nonsense: true })).toBe('{}')
  expect(await ask({ event: 'PreToolUse', session: '', tool: '', input: '', error: '' })).toBe('{}')
})

it('a command that begins with a brace is a command', async () => {
  const { ask } = await shop()
  expect(await ask({ event: 'PreToolUse', tool: 'Bash', input: '{ terraform apply; }' })).toContain(FREEZE)
})

it('a store that fails is not told of, and after three times not asked for a while', async () => {
  const problems: string[] = []
  const hooks = new Hooks({ onProblem: ({ message }) => problems.push(message) })
  const open = vi.fn(async (): Promise<OwnMemories> => {
    throw new Error('the store is gone')
  })
  const moment = { kind: 'prompt', text: 'x' } as const
  for (let i = 0; i < 5; i++) {
    expect(await hooks.answer({ client: '', open }, { event: 'UserPromptSubmit', session: 's1', moment })).toBe('{}')
  }
  expect(open).toHaveBeenCalledTimes(3)
  expect(problems).toEqual(Array(3).fill('the store is gone'))
})

it('while its models load, a store that is late is asked by each hook', async () => {
  const { memory } = await shop()
  const own = memory.as(SHOP)
  const { promise: loading, resolve } = Promise.withResolvers<void>()
  const hooks = new Hooks({ loading })
  let isLate = true
  const recall: OwnMemories['recall'] = async ({ boundMs: _, ...rest }) => ({
    ...(await own.recall(rest)),
    ...(isLate ? { late: true } : {}),
  })
  const ask = (session: string) =>
    hooks.answer(
      { client: '', open: async () => ({ ...own, recall }) },
      { event: 'PreToolUse', session, moment: { kind: 'tool', name: 'Bash', input: 'terraform apply' } },
    )
  for (let i = 0; i < 4; i++) expect(await ask(`loading-${i}`)).toBe('{}')
  isLate = false
  resolve()
  expect(await ask('loaded')).toContain(FREEZE)
})

it('what a prompt asked for in vain comes with the next hook', async () => {
  const { memory } = await shop()
  const own = memory.as(SHOP)
  const hooks = new Hooks({ timeoutMs: 50 })
  const never = new Promise<OwnMemories>(() => {})
  const prompt = { kind: 'prompt', text: 'who has the pager rota of payments?' } as const
  const slow: OwnMemories = { ...own, recall: async (request) => ({ ...(await own.recall(request)), late: true }) }
  const ask = (open: OwnMemories | Promise<OwnMemories>, call: Parameters<Hooks['answer']>[1]) =>
    hooks.answer({ client: '', open: async () => open }, call)
  expect(await ask(slow, { event: 'UserPromptSubmit', session: 's9', moment: prompt })).toBe('{}')
  expect(await ask(never, { event: 'PreToolUse', session: 's9', moment: null })).toBe('{}')
  const patient: OwnMemories = { ...own, recall: ({ boundMs: _, session: __, ...rest }) => own.recall(rest) }
  const ls = { kind: 'tool', name: 'Bash', input: 'ls' } as const
  expect(await ask(patient, { event: 'PreToolUse', session: 's9', moment: ls })).toContain(PAGER)
  expect(await ask(patient, { event: 'PreToolUse', session: 's9', moment: ls })).toBe('{}')
})

it('a model that asks by itself is answered in words', async () => {
  const { client } = await shop()
  const { text, value } = await call(client, 'memory_recall', { tool: 'Bash', input: 'terraform apply' })
  expect(text).toContain(`] ${FREEZE} (confidence`)
  expect(value).toMatchObject({ memories: [expect.any(String)] })
  expect((await call(client, 'memory_recall', { prompt: 'tidy up' })).text).toMatch(/^No memory matters/)
  expect(await call(client, 'memory_recall', {})).toMatchObject({ isError: true })
})

it('a server for hooks offers what they call, and tells a model nothing', async () => {
  const { connect } = await memoryWithClients()
  const client = await connect(SHOP, { forHooks: true })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['memory_recall'])
  expect(client.getInstructions()).toBeUndefined()
})
