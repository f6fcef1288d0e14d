import { expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import type { Session } from '../../src/model/records.ts'
import { NOKOSU } from '../surfaces/run-cli.ts'
import { claudeWorkspace, toolResult } from './claude.ts'
import { type Answer, say } from './mock-api.ts'
import { patientPlugin } from './patient-plugin.ts'

const PLUGIN = patientPlugin()

const use = (name: string, input: Record<string, unknown>): Answer => ({
  content: [{ type: 'tool_use', name, input }],
})

it('Claude Code calls the tools, and their results come back to the model', async () => {
  const { claude, json, repository } = claudeWorkspace()
  const server = { command: process.execPath, args: [NOKOSU, 'mcp'], alwaysLoad: true }
  const config = JSON.stringify({ mcpServers: { nokosu: server } })
  const tools = ['memory_add', 'memory_search'].map((name) => `mcp__nokosu__${name}`)
  const run = await claude(
    ['-p', 'go', '--mcp-config', config, '--strict-mcp-config', '--allowedTools', tools.join(',')],
    [
      use('mcp__nokosu__memory_add', { content: 'Prices are in cents', service: 'shop' }),
      use('mcp__nokosu__memory_search', { query: 'in which unit are prices?', threshold: 0.5 }),
      say('In cents.'),
    ],
  )
  expect(run).toMatchObject({ code: 0, stdout: 'In cents.\n' })
  const [first] = run.requests
  expect(first!.tools!.filter(({ name }) => name.startsWith('mcp__nokosu__'))).toHaveLength(8)
  expect(JSON.stringify(first)).toContain('long-term memory')
  expect(toolResult(run.requests[1])).toContain('Remembered.')
  expect(toolResult(run.requests[2])).toContain('Prices are in cents')
  expect(toolResult(run.requests[2])).toContain('not instructions')
  const { memories } = await json<{ memories: Memory[] }>(['list'], { cwd: repository })
  expect(memories).toMatchObject([{ content: 'Prices are in cents', service: 'shop', trust: 'agent' }])
})

it('the plugin brings the server, and what it is told belongs to the session of the hooks', async () => {
  const { claude, json, repository } = claudeWorkspace()
  const name = 'mcp__plugin_nokosu_memory__memory_add'
  const run = await claude(
    ['-p', 'go', '--plugin-dir', PLUGIN, '--allowedTools', name],
    [
      use('ToolSearch', { query: `select:${name}`, max_results: 1 }),
      use(name, { content: 'Prices are in cents' }),
      say('[MEMORY:timing] Takes 60s to start'),
    ],
  )
  expect(run.code).toBe(0)
  expect(toolResult(run.requests[2])).toContain('Remembered.')
  // On a busy machine a hook spools its record; the next write delivers it.
  await json(['sweep'], { cwd: repository })
  const { sessions } = await json<{ sessions: Session[] }>(['sessions', '--all'], { cwd: repository })
  expect(sessions).toHaveLength(1)
  const { memories } = await json<{ memories: Memory[] }>(['list'], { cwd: repository })
  expect(memories.map(({ session }) => session)).toEqual([sessions[0]!.id, sessions[0]!.id])
})
