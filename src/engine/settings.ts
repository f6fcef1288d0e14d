import type { Decay } from '../lifecycle/decay.ts'
import { DEFAULTS } from '../model/limits.ts'
import type { KeepDays } from '../model/records.ts'

/** Limits on what is stored and shown; the `memory` block of the configuration. */
export interface MemorySettings {
  enabled: boolean
  projectRetention: number
  sectionRetention: number
  taskRetention: number
  maxKeep: number
  /** By category: days without reinforcement or use after which confidence begins to fade; false: never. */
  decay: Decay
  /** Days to keep sessions, events and showings; false, or left out: for ever. */
  keepDays: KeepDays
  maxSummaryLength: number
  includeHintsFromOutputs: boolean
  /** Draw lessons from tool calls that failed and later worked. */
  lessons: boolean
  /** Keep findings in the agents' own layers. By default, facts go to the project. */
  private: boolean
  /** Aliases of services: `{ Postgres: 'pg-main' }`. */
  aliases: Readonly<Record<string, string>>
}

export const DEFAULT_SETTINGS: MemorySettings = {
  enabled: true,
  projectRetention: 30,
  sectionRetention: 20,
  taskRetention: 12,
  maxKeep: 1200,
  decay: {},
  keepDays: {},
  maxSummaryLength: DEFAULTS.summaryLength,
  includeHintsFromOutputs: false,
  lessons: true,
  private: false,
  aliases: {},
}
