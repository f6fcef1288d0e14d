import { z } from 'zod'
import { parseJson } from '../text/json.ts'
import { explainIssues } from './captured.ts'

const hookSchema = z.object({
  hook_event_name: z.string().min(1).max(64),
  session_id: z.string().min(1).max(256),
  transcript_path: z.string().max(4_096).optional(),
  cwd: z.string().max(4_096).optional(),
  last_assistant_message: z.string().optional(),
  source: z.string().max(64).optional(),
})

/** The fields that Nokosu needs of what Claude Code writes to a hook's standard input. */
export interface HookInput {
  event: string
  sessionId: string
  transcriptPath: string | null
  cwd: string | null
  /** The last answer, which the transcript may not have yet at Stop. */
  lastAssistantMessage: string | null
  /** Why a session starts: `startup`, `clear`, `compact`. */
  source: string | null
}

/** Reads a hook's standard input. Unknown fields are ignored, because each version of the client adds some. */
export function readHookInput(text: string): HookInput | { reason: string } {
  const json = parseJson(text)
  if (!json.ok) return { reason: 'The hook input is not JSON.' }
  const parsed = hookSchema.safeParse(json.value)
  if (!parsed.success) {
    return { reason: `Invalid hook input: ${explainIssues(parsed.error, 'input').slice(0, 400)}` }
  }
  const { hook_event_name, session_id, transcript_path, cwd, last_assistant_message, source } = parsed.data
  return {
    event: hook_event_name,
    sessionId: session_id,
    transcriptPath: transcript_path ?? null,
    cwd: cwd ?? null,
    lastAssistantMessage: last_assistant_message ?? null,
    source: source ?? null,
  }
}
