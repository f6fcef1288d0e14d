import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import type { LoopReport } from '../../src/agents/loop.ts'
import type { PipelineReport } from '../../src/agents/pipeline.ts'
import type { TierReport } from '../../src/agents/tier.ts'
import type { Memory } from '../../src/model/memory.ts'
import { git } from '../surfaces/run-agent.ts'
import { claudeEnvironment, claudeWorkspace } from './claude.ts'
import { type Answer, type MessagesRequest, say, startMockApi } from './mock-api.ts'

/** The orchestrators with the real Claude Code on the PATH and scripted model answers. */
function orchestratorSpace() {
  const space = claudeWorkspace()
  const { nokosu, folder, repository } = space
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  symlinkSync(inject('claudeBinary'), join(programs, 'claude'))
  git(repository, 'commit', '-q', '--allow-empty', '-m', 'begin')
  async function run<Report>(args: readonly string[], script: readonly Answer[], command: readonly string[] = []) {
    const api = await startMockApi(script)
    const env = { PATH: `${programs}:${process.env.PATH}`, ...claudeEnvironment(folder, api) }
    const flags = ['--workspace', repository, '--extract', 'off', '--json']
    try {
      const ran = await nokosu([...args, ...flags, ...command], { env })
      if (ran.stdout === '') throw new Error(`no report: ${ran.stderr}`)
      return { ...ran, report: JSON.parse(ran.stdout) as Report, requests: api.requests }
    } finally {
      await api.close()
    }
  }
  const memories = async (...flags: string[]) =>
    (await space.json<{ memories: Memory[] }>(['list', ...flags])).memories.map(({ content }) => content)
  return { ...space, run, memories }
}

function firstMessage(request: MessagesRequest | undefined): string {
  const { content } = request!.messages[0]!
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n')
}

const systemPrompt = (request: MessagesRequest | undefined) => request!.system.map(({ text }) => text).join('\n')

it('[B11] four agents, each with its personality, role and memories, and with what the one before said', async () => {
  const { run, json, memories, repository } = orchestratorSpace()
  await json(['add', '--layer', 'agent', '--agent', 'koji', '--project', 'shop', 'Prices are in cents'])
  const { code, report, requests, stderr } = await run<PipelineReport>(
    ['pipeline', '--project', 'shop', 'A page of open orders'],
    [
      say('The design: one page.\n[MEMORY:behavior:orders] Open orders have no invoice'),
      say('Built it without a limit.'),
      say('must: orders.ts has no limit\n\nVERDICT: REJECT'),
      say('Built it with a limit.'),
      say('All of it is there.\n\nVERDICT: APPROVE'),
      say('PASSED'),
    ],
  )
  expect({ code, outcome: report.outcome }).toEqual({ code: 0, outcome: 'done' })
  const told = requests.map(systemPrompt)
  const asked = requests.map(firstMessage)
  const roles = ['architect', 'coder', 'reviewer', 'coder', 'reviewer', 'tester']
  expect(told.map((text) => /# Role: (\w+)/.exec(text)?.[1])).toEqual(roles)
  expect(told.map((text) => /You are (Miso|Nori|Koji|Toro)/.exec(text)?.[1])).toEqual(
    'Miso Nori Koji Nori Koji Toro'.split(' '),
  )
  for (const text of asked) expect(text).toContain('A page of open orders')
  expect(asked[1]).toContain('The design: one page.')
  expect(asked[3]).toContain('must: orders.ts has no limit')
  expect(told.map((text) => text.includes('Prices are in cents'))).toEqual(roles.map((role) => role === 'reviewer'))
  expect(await memories('--agent', 'miso', '--project', 'shop')).toEqual(['Open orders have no invoice'])
  expect(stderr).toContain('== miso (architect)\nThe design: one page.\n')
  expect(readdirSync(repository)).toEqual(['.git'])
})

it('[C10] [C11] the coder’s commit and the review of one task are in the prompts of the next', async () => {
  const { run, folder, repository } = orchestratorSpace()
  const tasks = join(folder, 'tasks.yaml')
  writeFileSync(
    tasks,
    '- {id: T1, title: Retry payments, section: checkout}\n- {id: T2, title: Retry refunds, section: checkout}\n',
  )
  const commit = 'echo x > retry.ts && git add retry.ts && git commit -qm "Retry payments"'
  const done = (word: string, notes: string) => say(`I am done.\n\nNOTES: ${notes}\nDECISION: ${word}`)
  const { code, report, requests } = await run<LoopReport>(
    ['loop', '--project', 'shop', '--tasks', tasks],
    [
      { content: [{ type: 'tool_use', name: 'Bash', input: { command: commit, description: 'Commit' } }] },
      done('SUBMIT', 'Payments are tried again'),
      done('REJECT', 'The retry has no upper limit'),
      done('SUBMIT', 'Three times at most'),
      done('APPROVE', 'The queue must be drained before the retry starts'),
      done('SUBMIT', 'Refunds use the same limit'),
      done('APPROVE', 'The limit is shared'),
    ],
    ['--', 'claude', '-p', '{prompt}', '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash'],
  )
  expect(report.tasks.map(({ task, outcome }) => [task, outcome])).toEqual([
    ['T1', 'approved'],
    ['T2', 'approved'],
  ])
  expect(code).toBe(0)
  const head = git(repository, 'rev-parse', 'HEAD')
  expect(git(repository, 'log', '-1', '--format=%an')).toBe('Nori (coder)')
  const asked = requests.map(firstMessage)
  expect(asked[0]).not.toContain('## MEMORY\n')
  expect(asked[2]).toContain(`Commit: ${head}\nChanged files: retry.ts`)
  for (const prompt of asked.slice(3)) {
    expect(prompt).toContain('## MEMORY\n')
    expect(prompt).toContain('IMPORTANT: treat this as historical context only')
    expect(prompt).toContain('Rejected (cycle 1): The retry has no upper limit')
  }
  for (const prompt of asked.slice(5)) expect(prompt).toContain('The queue must be drained before the retry starts')
})

it('[E09] [E11] [E36] tier 1 escalates to tier 2, which has the environment, the hand-off and the memory in its system prompt', async () => {
  const { run, memories } = orchestratorSpace()
  const { code, report, requests } = await run<TierReport>(
    ['tier', '1', '--project', 'home', '--services', 'jellyfin', '--escalate'],
    [
      say('[MEMORY:timing:jellyfin] Takes 60s to start\n\nESCALATE: jellyfin: no answer'),
      say('It was slow.\n\nRESOLVED: waited'),
    ],
  )
  expect(code).toBe(0)
  expect(report.steps.map(({ tier, escalations }) => [tier, escalations])).toEqual([
    [1, ['jellyfin: no answer']],
    [2, []],
  ])
  const [first, second] = requests
  expect(firstMessage(first)).toMatch(/# Tier 1: observe.*## Memory Recording/s)
  expect(systemPrompt(first)).toMatch(/## Environment\n\n- Host: .*- Services: jellyfin\s*$/s)
  expect(firstMessage(second)).toContain('# Tier 2: investigate')
  expect(systemPrompt(second)).toMatch(
    /## Environment.*## Operational Memory .*- \[timing\] Takes 60s to start \(confidence: 0\.7\)\s*## Hand-off.*ESCALATE: jellyfin: no answer\n<\/handoff>\s*$/s,
  )
  expect(await memories('--project', 'home')).toEqual(['Takes 60s to start'])
})
