import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { finish, type Ran, workspace } from '../surfaces/run-cli.ts'
import { type Answer, type MessagesRequest, startMockApi } from './mock-api.ts'

/** Only for hangs. */
const TIMEOUT_MS = 240_000

interface ClaudeRun extends Ran {
  requests: MessagesRequest[]
}

/** Ignores the machine's settings, sends no telemetry, and replaces every external host with the mock. */
export function claudeEnvironment(folder: string, { url }: { url: string }): Record<string, string> {
  return {
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    // All other traffic goes through it.
    HTTPS_PROXY: url,
    HTTP_PROXY: url,
    NO_PROXY: '127.0.0.1',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    // By default hooks get 1.5 s at session end, which is too little on a busy machine.
    CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '120000',
    NOKOSU_HOOK_TIMEOUT: '110',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
  }
}

/**
 * A separate home, repository and store, removed after the test, with the real `claude` and `nokosu`. It uses no settings of this machine, and only loopback
 * connections.
 */
export function claudeWorkspace() {
  const { folder, run: nokosu, json } = workspace()
  const home = join(folder, 'home')
  const temporary = join(folder, 'tmp')
  const repository = join(folder, 'shop')
  for (const path of [home, temporary, repository]) mkdirSync(path)
  execFileSync('git', ['init', '-q'], { cwd: repository, env: { PATH: process.env.PATH, HOME: home } })

  /** Runs `claude` with scripted model answers. */
  async function claude(
    args: readonly string[],
    script: readonly Answer[],
    env: Record<string, string> = {},
  ): Promise<ClaudeRun> {
    const api = await startMockApi(script)
    try {
      const child = spawn(inject('claudeBinary'), args, {
        cwd: repository,
        env: { PATH: process.env.PATH, ...claudeEnvironment(folder, api), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      })
      const ran = await finish(child)
      if (child.signalCode !== null)
        throw new Error(`claude was ended by ${child.signalCode}: ${ran.stdout}${ran.stderr}`)
      if (api.others.length > 0) throw new Error(`claude also asked for ${api.others.join(', ')}`)
      return { ...ran, requests: api.requests }
    } finally {
      await api.close()
    }
  }

  /** The session files that Claude Code wrote. */
  const transcripts = () => globSync(join(home, '.claude/projects/*/*.jsonl'))

  return { folder, repository, nokosu, json, claude, transcripts }
}

/** The last tool result of a request, as the model reads it. Claude Code may add reminders after it. */
export function toolResult(request: MessagesRequest | undefined): string {
  const contents = request!.messages.map(({ content }) => content).filter((content) => typeof content !== 'string')
  return JSON.stringify(contents.flat().findLast(({ type }) => type === 'tool_result')!.content)
}
