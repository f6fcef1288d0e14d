import type { Identifiers } from '../model/layer.ts'
import type { Tier } from '../model/memory.ts'
import type { Session } from '../model/records.ts'
import type { Core } from './core.ts'

/** What is known of a run when it starts. */
export interface SessionStart {
  agent?: string | undefined
  project?: string | undefined
  role?: string | undefined
  tier?: Tier | undefined
}

/** The session with this id, begun now unless it is known already. */
export async function ensureSession(
  core: Core,
  id: string,
  identifiers: Identifiers,
  start: SessionStart = {},
): Promise<Session> {
  const known = await core.attempt(() => core.storage.getSession(id))
  if (known) return known
  const session: Session = {
    id,
    agent: start.agent ?? identifiers.agentId ?? null,
    project: start.project ?? identifiers.projectId ?? null,
    tier: start.tier ?? null,
    role: start.role ?? null,
    startedAt: core.now().toISOString(),
    endedAt: null,
    exitCode: null,
    outcome: null,
  }
  await core.attempt(() => core.storage.putSession(session))
  return session
}
