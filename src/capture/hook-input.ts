import { z } from 'zod'
import { parseJson } from '../text/json.ts'
import { explainIssues } from './captured.ts'

const text = (most: number) => z.string().max(most).nullish()

/** Each client names the same fields differently: Claude Code and Codex first, then Gemini CLI, Cursor, Windsurf. */
const hookSchema = z.object({
  hook_event_name: text(64),
  agent_action_name: text(64),
  session_id: text(256),
  conversation_id: text(256),
  trajectory_id: text(256),
  transcript_path: text(4_096),
  cwd: text(4_096),
  workspace_roots: z.array(z.string().max(4_096)).nullish(),
  last_assistant_message: z.string().nullish(),
  prompt_response: z.string().nullish(),
  text: z.string().nullish(),
  tool_info: z.object({ response: z.string().nullish() }).nullish(),
  source: text(64),
})

/** The fields that Nokosu needs from what a client writes to a hook's standard input. */
export interface HookInput {
  /** In the client's own term. */
  event: string
  sessionId: string
  transcriptPath: string | null
  cwd: string | null
  /** The last answer, which the transcript may not contain yet at Stop. */
  lastAssistantMessage: string | null
  /** Why a session starts: `startup`, `clear`, `compact`. */
  source: string | null
}

/** Reads a hook's standard input. Ignores unknown fields, because new client versions add some. */
export function readHookInput(text: string): HookInput | { reason: string } {
  const json = parseJson(text)
  if (!json.ok) return { reason: 'The hook input is not JSON.' }
  const parsed = hookSchema.safeParse(json.value)
  if (!parsed.success) {
    return { reason: `Invalid hook input: ${explainIssues(parsed.error, 'input').slice(0, 400)}` }
  }
  const { data } = parsed
  const sessionId = data.session_id || data.conversation_id || data.trajectory_id
  const event = data.hook_event_name || data.agent_action_name
  if (!sessionId || !event) {
    return { reason: `Invalid hook input: ${event ? 'session_id' : 'hook_event_name'} is missing.` }
  }
  return {
    event,
    sessionId,
    transcriptPath: data.transcript_path ?? null,
    cwd: data.cwd ?? data.workspace_roots?.[0] ?? null,
    lastAssistantMessage:
      data.last_assistant_message ?? data.prompt_response ?? data.text ?? data.tool_info?.response ?? null,
    source: data.source ?? null,
  }
}
