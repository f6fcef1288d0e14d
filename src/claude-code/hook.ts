import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HookInput } from '../capture/hook-input.ts'
import { STORE_FOLDER } from '../config/find-project.ts'
import type { Config } from '../config/load-config.ts'
import { storeFile } from '../config/prepare-store.ts'
import type { Identifiers } from '../model/layer.ts'
import type { StoreCommand } from '../remote/client.ts'
import { projectName } from './project-name.ts'
import { findRepository } from './repository.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What a hook of Claude Code works with. */
export interface Hook {
  input: HookInput
  config: Config
  /** Whose memories these are. */
  identifiers: Identifiers & { projectId: string }
  session: string
  /** Inside `nokosu run`, which shows memories and keeps what it hears itself. */
  inRun: boolean
  branch: string | null
  store: StoreCommand
  spoolFolders: readonly string[]
  /** Milliseconds until the hook has to end. */
  left(): number
  warn(text: string): void
}

/** The folder that the session was started in: an agent may have gone elsewhere since, but its project is the same. */
export function hookFolder({ cwd }: HookInput, env: Environment): string {
  const folder = [env.CLAUDE_PROJECT_DIR, cwd].find((path) => path && existsSync(path))
  return folder ?? process.cwd()
}

/**
 * Which session a hook belongs to, and whose. Inside a run it is the run's own: what both have heard is then kept once, and in
 * the same place.
 */
export function hookSession(
  { sessionId }: HookInput,
  folder: string,
  env: Environment,
): Pick<Hook, 'session' | 'identifiers' | 'inRun'> {
  const inRun = Boolean(env.NOKOSU_SESSION)
  const agent = inRun && env.NOKOSU_AGENT ? { agentId: env.NOKOSU_AGENT } : {}
  const identifiers = { ...agent, projectId: projectName(folder, env) }
  return { session: env.NOKOSU_SESSION || sessionId, identifiers, inRun }
}

/** A folder that nothing says is a project gets no memory: sessions in a home or temporary folder leave nothing there. */
export function isProject(folder: string, { root, file }: Config, env: Environment): boolean {
  return (
    Boolean(env.NOKOSU_DB || env.NOKOSU_PROJECT) ||
    file !== null ||
    findRepository(folder) !== null ||
    existsSync(join(root, STORE_FOLDER))
  )
}

/** A store that is not a file counts as there. */
export function hasStore({ db }: Config): boolean {
  const file = storeFile(db)
  return file === null || existsSync(file)
}
