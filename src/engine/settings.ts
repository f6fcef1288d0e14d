import type { Decay } from '../lifecycle/decay.ts'
import { DEFAULTS } from '../model/limits.ts'

/** Limits of what is kept and shown; the `memory` block of the configuration. */
export interface MemorySettings {
  enabled: boolean
  projectRetention: number
  sectionRetention: number
  taskRetention: number
  maxKeep: number
  /** By category: days without reinforcement or use after which confidence begins to fade; false: never. */
  decay: Decay
  maxSummaryLength: number
  includeHintsFromOutputs: boolean
  /** Lessons are drawn from tool calls that failed and later worked. */
  lessons: boolean
  /** What agents find out stays in their own layers; otherwise facts are the project's. */
  private: boolean
  /** Other names of services: `{ Postgres: 'pg-main' }`. */
  aliases: Readonly<Record<string, string>>
}

export const DEFAULT_SETTINGS: MemorySettings = {
  enabled: true,
  projectRetention: 30,
  sectionRetention: 20,
  taskRetention: 12,
  maxKeep: 1200,
  decay: {},
  maxSummaryLength: DEFAULTS.summaryLength,
  includeHintsFromOutputs: false,
  lessons: true,
  private: false,
  aliases: {},
}
