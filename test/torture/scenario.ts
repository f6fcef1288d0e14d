import type { TortureStore } from './stores.ts'

/** The unit that a scenario counts. */
export interface Progress {
  did(count?: number): void
  fail(what: string): void
}

export interface Given {
  create(): Promise<TortureStore>
  seed: number
  /** Amount of work: rounds, writes or reads. */
  size: number
  /** Whether to use the local models. */
  models: boolean
  progress: Progress
}

export type Scenario = (given: Given) => Promise<void>
