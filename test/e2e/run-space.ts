import { inject } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import type { Session } from '../../src/model/records.ts'
import { claudeEnvironment, claudeWorkspace } from './claude.ts'
import { type Answer, type MessagesRequest, startMockApi } from './mock-api.ts'

export const AGENT = ['--agent', 'nori', '--project', 'shop']
export const STREAM = ['--output-format', 'stream-json', '--verbose']
export const QUIET = ['--extract', 'off']
/** Long limits, so that a busy machine neither starts without memories nor skips learning. */
const PATIENT = ['--store-timeout', '120', '--extract-timeout', '120']

/** `nokosu run -- claude -p ...` with scripted model answers: those of the run, then those of the extraction. */
export function runSpace() {
  const space = claudeWorkspace()
  const { nokosu, json, repository, folder } = space
  async function run(
    flags: readonly string[],
    claudeFlags: readonly string[],
    script: readonly Answer[],
    prompt = 'fix the login',
    around: (command: readonly string[]) => readonly string[] = (command) => command,
    more: Record<string, string> = {},
  ) {
    const api = await startMockApi(script)
    const env = { ...claudeEnvironment(folder, api), ...more }
    const command = [inject('claudeBinary'), '-p', prompt, ...claudeFlags]
    try {
      const ran = await nokosu(['run', '--workspace', repository, ...PATIENT, ...flags, '--', ...around(command)], {
        env,
      })
      return { ...ran, requests: api.requests }
    } finally {
      await api.close()
    }
  }
  const memories = async (...flags: string[]) =>
    (await json<{ memories: Memory[] }>(['list', ...(flags.length > 0 ? flags : AGENT), '--include-inactive'])).memories
  const sessions = async () => (await json<{ sessions: Session[] }>(['sessions', '--all'])).sessions
  return { ...space, run, memories, sessions }
}

export function firstMessage(request: MessagesRequest | undefined): string {
  const { content } = request!.messages[0]!
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n')
}

/** The system prompt. */
export function systemOf(request: MessagesRequest | undefined): string {
  return request!.system.map(({ text }) => text).join('\n')
}

/** The extraction's answer, as a tool call of the model. */
export const extracted = (learnings: object[], confirmed: object[] = []): Answer => ({
  content: [{ type: 'tool_use', name: 'StructuredOutput', input: { learnings, confirmed } }],
})
