import type { TortureStore } from './stores.ts'

/** What a scenario counts. */
export interface Progress {
  did(count?: number): void
  fail(what: string): void
}

export interface Given {
  create(): Promise<TortureStore>
  seed: number
  /** How much of it: rounds, writes or reads. */
  size: number
  /** Whether the local models are used. */
  models: boolean
  progress: Progress
}

export type Scenario = (given: Given) => Promise<void>
