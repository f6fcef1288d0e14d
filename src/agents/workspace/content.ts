import type { Context } from '../../engine/context.ts'
import type { Nokosu } from '../../engine/nokosu.ts'
import { renderPersonality } from '../personality.ts'
import { teachRecording } from '../read-prompt.ts'
import { readRolePrompt, usualRole } from '../role-prompt.ts'

export interface WorkspaceContent {
  /** Personality and role text, without the import line. */
  instructions: string
  /** The text of MEMORY.md; empty if there are no memories. */
  memory: string
}

export interface WorkspaceRequest {
  agent: string
  project: string
  /** Defaults to the agent's usual role; an agent without one gets no role instructions. */
  role?: string | undefined
  /** The session that will read it. If given, the showing is recorded. */
  session?: string | undefined
}

/** The personality, then the role instructions, which take precedence. */
async function renderInstructions(
  engine: Pick<Nokosu, 'personality'>,
  { agent, role = usualRole(agent) ?? undefined }: Pick<WorkspaceRequest, 'agent' | 'role'>,
): Promise<string> {
  const [profile, prompt] = await Promise.all([
    engine.personality.profile(agent),
    role === undefined ? '' : readRolePrompt(role),
  ])
  return [...(profile ? [renderPersonality(profile)] : []), teachRecording(prompt)].join('\n')
}

/** Everything an agent finds in its workspace: its personality, its role, and its memories of this project. */
export async function buildWorkspaceContent(
  engine: Nokosu,
  { agent, project, role, session }: WorkspaceRequest,
): Promise<WorkspaceContent & { context: Context }> {
  const instructions = await renderInstructions(engine, { agent, role })
  const context = await engine.context({
    format: 'file',
    identifiers: { agentId: agent, projectId: project },
    ...(session === undefined ? {} : { session }),
  })
  return { instructions, memory: context.text, context }
}
