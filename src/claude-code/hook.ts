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
  /** Inside `nokosu run`, which does its own recall and capture. */
  inRun: boolean
  branch: string | null
  store: StoreCommand
  /** Asks a model what the session learned; null if that is switched off. */
  extract: StoreCommand | null
  spoolFolders: readonly string[]
  /** Milliseconds that the hook may take, and those that remain. */
  boundMs: number
  left(): number
  warn(text: string): void
}

/** The folder that the session was started in. An agent may have changed folders, but its project stays the same. */
export function hookFolder({ cwd }: HookInput, env: Environment): string {
  const folder = [env.CLAUDE_PROJECT_DIR, cwd].find((path) => path && existsSync(path))
  return folder ?? process.cwd()
}

/**
 * The session that a hook belongs to. Inside a run it is the run's own, so that what both hear is stored once, in the same
 * place.
 */
export function hookSession({ sessionId }: HookInput, env: Environment): Pick<Hook, 'session' | 'inRun'> {
  return { session: env.NOKOSU_SESSION || sessionId, inRun: Boolean(env.NOKOSU_SESSION) }
}

/**
 * Whose memories a session reads and writes: the project's, and those of the agent in NOKOSU_AGENT, set by a
 * run or a person. Null in a folder that is not a project: sessions in a home or temporary folder record nothing there.
 */
export function hookIdentifiers({ project }: Config, env: Environment): Hook['identifiers'] | null {
  if (project === undefined) return null
  return { ...(env.NOKOSU_AGENT ? { agentId: env.NOKOSU_AGENT } : {}), projectId: project }
}

export function sessionOf({ session, identifiers: { agentId, projectId } }: Hook) {
  return { id: session, project: projectId, ...(agentId === undefined ? {} : { agent: agentId }) }
}

/** A store that is not a file counts as existing. */
export function hasStore({ db }: Config): boolean {
  const file = storeFile(db)
  return file === null || existsSync(file)
}
