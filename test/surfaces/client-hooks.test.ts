import { describe, expect, it } from 'vitest'
import { shop } from './plugin-space.ts'
import { runCli } from './run-cli.ts'

const MARKER = '[MEMORY:timing:jellyfin] Takes 60s to start'

/** Hook input of each client, as documented. */
const INPUTS = {
  codex: {
    start: (cwd: string) => ({
      ...{ hook_event_name: 'SessionStart', session_id: 'c1', transcript_path: null, cwd, source: 'startup' },
      ...{ model: 'gpt-5', permission_mode: 'default' },
    }),
    stop: (cwd: string, text: string) => ({
      ...{ hook_event_name: 'Stop', session_id: 'c1', transcript_path: '/none/rollout.jsonl', cwd },
      ...{ turn_id: 't', stop_hook_active: false, last_assistant_message: text },
    }),
  },
  gemini: {
    start: (cwd: string) => ({
      ...{ hook_event_name: 'SessionStart', session_id: 'g1', transcript_path: '/none', cwd, source: 'startup' },
      timestamp: '2026-01-01T00:00:00.000Z',
    }),
    stop: (cwd: string, text: string) => ({
      ...{ hook_event_name: 'AfterAgent', session_id: 'g1', transcript_path: '/none', cwd },
      ...{ prompt: 'go', prompt_response: text, stop_hook_active: false },
    }),
  },
  cursor: {
    start: (cwd: string) => ({
      ...{ hook_event_name: 'sessionStart', conversation_id: 'u1', workspace_roots: [cwd], cursor_version: '2.4.0' },
    }),
    stop: (cwd: string, text: string) => ({
      ...{ hook_event_name: 'afterAgentResponse', conversation_id: 'u1', workspace_roots: [cwd], text },
    }),
  },
  windsurf: {
    start: null,
    stop: (_: string, text: string) => ({
      ...{ agent_action_name: 'post_cascade_response', trajectory_id: 'w1', execution_id: 'e1' },
      tool_info: { response: text },
    }),
  },
} as const

describe.each(Object.entries(INPUTS))('%s', (client, input) => {
  const space = () => {
    const { parent, folder, add, list, sessions } = shop()
    // Cursor and Windsurf start hooks in the workspace or elsewhere.
    const cwd = client === 'windsurf' ? folder : parent
    const env = { HOME: parent, NOKOSU_HOOK_TIMEOUT: '120' }
    const hook = (event: string, fields: object) =>
      runCli(['hook', event, '--client', client], { cwd, env, input: JSON.stringify(fields) })
    return { folder, add, list, sessions, hook }
  }

  it.runIf(input.start !== null)('shows the memories of the project in the form that the client reads', async () => {
    const { folder, add, hook, sessions } = space()
    await add('--category', 'timing', 'Takes 60s to start')
    const { code, stdout, stderr } = await hook('session-start', input.start!(folder))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const answer = JSON.parse(stdout)
    const context = client === 'cursor' ? answer.additional_context : answer.hookSpecificOutput.additionalContext
    expect(context).toContain('- [timing] Takes 60s to start')
    expect(Object.keys(answer)).toEqual([client === 'cursor' ? 'additional_context' : 'hookSpecificOutput'])
    expect(await sessions()).toMatchObject([{ project: 'shop', endedAt: null }])
  })

  it('keeps the markers of an answer, ends the session, and reads no transcript that is not Claude Code’s', async () => {
    const { folder, list, hook, sessions } = space()
    const quiet = { code: 0, stdout: '', stderr: '' }
    expect(await hook('stop', input.stop(folder, `Done.\n${MARKER}`))).toEqual(quiet)
    const over = { ...input.stop(folder, ''), transcript_path: import.meta.filename }
    expect(await hook('session-end', over)).toEqual(quiet)
    expect(await list()).toMatchObject([{ content: 'Takes 60s to start', service: 'jellyfin', confidence: 0.7 }])
    expect(await sessions()).toMatchObject([{ endedAt: expect.any(String) }])
  })
})
