import { ENGINE_CASES } from './engine-cases.ts'
import type { CaseGroup } from './group.ts'
import { STORAGE_CASES } from './storage-cases.ts'

export interface ConformanceOptions {
  /** Also tests the memory operations through the engine, as users call them. Default false: a storage that keeps its contract passes. */
  engine?: boolean
}

export function casesFor({ engine = false }: ConformanceOptions): readonly CaseGroup[] {
  return engine ? [...STORAGE_CASES, ...ENGINE_CASES] : STORAGE_CASES
}
