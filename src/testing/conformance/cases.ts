import { ENGINE_CASES } from './engine-cases.ts'
import type { CaseGroup } from './group.ts'
import { STORAGE_CASES } from './storage-cases.ts'

export interface ConformanceOptions {
  /** Also runs the engine over this storage, as users would. Default false: the engine's own behaviour does not depend on the backend. */
  engine?: boolean
}

export function casesFor({ engine = false }: ConformanceOptions): readonly CaseGroup[] {
  return engine ? [...STORAGE_CASES, ...ENGINE_CASES] : STORAGE_CASES
}
