import { existsSync } from 'node:fs'
import type { HookInput } from '../capture/hook-input.ts'
import type { Config } from '../config/load-config.ts'
import { storeFile } from '../config/prepare-store.ts'
import type { Identifiers } from '../model/layer.ts'
import type { StoreCommand } from '../remote/client.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface Hook {
  input: HookInput
  /** The session is over. */
  atEnd: boolean
  config: Config
  identifiers: Identifiers & { projectId: string }
  session: string
  /** Inside `nokosu run`, which shows memories and keeps what it hears itself. */
  inRun: boolean
  branch: string | null
  store: StoreCommand
  /** Asks a model what the session learned; null where that is not wanted. */
  extract: StoreCommand | null
  spoolFolders: readonly string[]
  /** Milliseconds that the hook may take, and those that are left of them. */
  boundMs: number
  left(): number
  warn(text: string): void
}

/** The folder that the session was started in: an agent may have gone elsewhere since, but its project is the same. */
export function hookFolder({ cwd }: HookInput, env: Environment): string {
  const folder = [env.CLAUDE_PROJECT_DIR, cwd].find((path) => path && existsSync(path))
  return folder ?? process.cwd()
}

/**
 * Which session a hook belongs to. Inside a run it is the run's own: what both have heard is then kept once, and in the same
 * place.
 */
export function hookSession({ sessionId }: HookInput, env: Environment): Pick<Hook, 'session' | 'inRun'> {
  return { session: env.NOKOSU_SESSION || sessionId, inRun: Boolean(env.NOKOSU_SESSION) }
}

/**
 * Whose memories a session reads and leaves: the project's, and the agent's that NOKOSU_AGENT names, which a run sets and a
 * person may. Null in a folder that nothing says is a project: sessions in a home or temporary folder leave nothing there.
 */
export function hookIdentifiers({ project }: Config, env: Environment): Hook['identifiers'] | null {
  if (project === undefined) return null
  return { ...(env.NOKOSU_AGENT ? { agentId: env.NOKOSU_AGENT } : {}), projectId: project }
}

export function sessionOf({ session, identifiers: { agentId, projectId } }: Hook) {
  return { id: session, project: projectId, ...(agentId === undefined ? {} : { agent: agentId }) }
}

/** A store that is not a file counts as there. */
export function hasStore({ db }: Config): boolean {
  const file = storeFile(db)
  return file === null || existsSync(file)
}
