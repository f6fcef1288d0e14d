import type { Writable } from 'node:stream'
import type { CaptureOptions } from '../../capture/capture.ts'
import type { Identifiers, Layer } from '../../model/layer.ts'
import type { Tier } from '../../model/memory.ts'
import type { StoreClient } from '../../remote/client.ts'
import type { HookServer } from './live-hooks.ts'
import type { RunExtraction } from './run-extraction.ts'
import type { Trace } from './trace.ts'

export interface RunSettings {
  workspace: string
  /** Null: no second call. */
  extraction: RunExtraction | null
  /** False where memory is switched off: the agent runs and leaves nothing behind. */
  remember: boolean
  /** The caller's: several runs may share it. */
  store: StoreClient
  spoolFolders: readonly string[]
  /** Milliseconds that the store may cost before the agent starts, and again after it has ended. */
  boundMs: number
  capture: Pick<CaptureOptions, 'suggestions' | 'maxSummaryLength' | 'lessons'>
  /** What answers Claude Code's hooks while it works. Without it nothing is shown then. */
  hooks?: HookServer | null
  /** Takes what the agent writes to standard error; without it that is the caller's own. */
  errors?: ((text: string) => void) | undefined
  env: NodeJS.ProcessEnv
  trace: Trace
  warn(text: string): void
}

export interface RunOptions extends RunSettings {
  command: readonly string[]
  identifiers: Identifiers
  /** The task and section that it works on: suggestions for one of these land there, facts are the project's all the same. */
  about?: Pick<Identifiers, 'taskId' | 'sectionId'> | undefined
  role?: string | undefined
  /** Text in place of the role's own. */
  instructions?: string | undefined
  beforeMemory?: string | undefined
  afterMemory?: string | undefined
  /**
   * The name of the file in the workspace that is to have role, personality and memories, such as CLAUDE.md. Without it nothing
   * is written into a workspace, unless this run cloned it.
   */
  inject?: string | undefined
  tier?: Tier | undefined
  layer?: Layer | undefined
  /** The session's id; a new one by default. */
  session?: string | undefined
  repo?: string | undefined
  branch?: string | undefined
  push?: boolean | undefined
  interactive: boolean
  output: Writable
}
