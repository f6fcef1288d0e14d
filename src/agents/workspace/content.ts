import type { Context } from '../../engine/context.ts'
import type { Nokosu } from '../../engine/nokosu.ts'
import { renderPersonality } from '../personality.ts'
import { teachRecording } from '../read-prompt.ts'
import { readRolePrompt, usualRole } from '../role-prompt.ts'

export interface WorkspaceContent {
  /** Personality and role text, without the import line. */
  instructions: string
  /** The text of MEMORY.md; empty for none. */
  memory: string
}

export interface WorkspaceRequest {
  agent: string
  project: string
  /** Default: the agent's usual role; an agent without one gets no role instructions. */
  role?: string | undefined
  /** The session that is about to read it. With it the showing is recorded. */
  session?: string | undefined
}

/** The personality before the role instructions, which say more and weigh more. */
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

/** All that an agent finds in its workspace: who it is, what its role asks, and what it remembers of this project. */
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
