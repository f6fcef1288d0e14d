import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import type { Session } from '../../src/model/records.ts'
import { transcriptOf } from './agent-output.ts'
import { finish, type Ran, workspace } from './run-cli.ts'

export const LAUNCHER = join(import.meta.dirname, '../../plugin/bin/nokosu')

/** A repository named `shop`, with the plugin's hooks. */
export function shop({ branch = 'main', git = true } = {}) {
  const { folder: parent, json: run } = workspace()
  const folder = join(parent, 'shop')
  mkdirSync(folder)
  if (git) execFileSync('git', ['init', '-q', '-b', branch], { cwd: folder, env: { PATH: process.env.PATH } })
  const transcript = join(parent, 'transcript.jsonl')
  const json = <T>(args: readonly string[]) => run<T>(args, { cwd: folder })

  // Long limits unless the limit is what is tested, so that a busy machine does not start without memories.
  function launch(args: readonly string[], input: string, env: Record<string, string> = {}): Promise<Ran> {
    const child = spawn('sh', [LAUNCHER, ...args], {
      cwd: parent,
      env: { PATH: process.env.PATH, HOME: parent, NOKOSU_EMBEDDING: 'hashing', NOKOSU_HOOK_TIMEOUT: '120', ...env },
      stdio: 'pipe',
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    return finish(child)
  }

  const EVENTS = { 'session-start': 'SessionStart', stop: 'Stop', 'session-end': 'SessionEnd' } as const
  const hook = (event: keyof typeof EVENTS, fields: object = {}, env?: Record<string, string>) => {
    const common = { session_id: 's1', transcript_path: transcript, cwd: folder, hook_event_name: EVENTS[event] }
    return launch(['hook', event], JSON.stringify({ ...common, ...fields }), env)
  }
  const start = async (fields?: object, env?: Record<string, string>) => {
    const ran = await hook('session-start', fields, env)
    expect(ran.code).toBe(0)
    const { hookEventName, additionalContext } = JSON.parse(ran.stdout).hookSpecificOutput
    expect(hookEventName).toBe('SessionStart')
    return { ...ran, context: additionalContext as string }
  }
  const say = (...texts: string[]) => writeFileSync(transcript, transcriptOf('s1', ...texts))
  const add = (...args: string[]) => json(['add', '--project', 'shop', ...args])
  const list = async (...args: string[]) =>
    (await json<{ memories: Memory[] }>(['list', '--all', '--include-inactive', ...args])).memories
  const contents = async () => (await list()).map(({ content }) => content).sort()
  const sessions = async () => (await json<{ sessions: Session[] }>(['sessions', '--all'])).sessions
  return { parent, folder, launch, hook, start, say, json, add, list, contents, sessions }
}
