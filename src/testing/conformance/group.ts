import type { StoreUnderTest } from './store-under-test.ts'

/** One promise of the contract. It runs on its own empty store, and fails by throwing. */
export interface ConformanceCase {
  title: string
  run(store: StoreUnderTest): Promise<void>
}

export interface CaseGroup {
  name: string
  cases: readonly ConformanceCase[]
}

export type AddCase = (title: string, run: ConformanceCase['run']) => void

/** Cases as plain data: vitest registers them, and the runner for broken backends runs them one by one. */
export function group(name: string, define: (it: AddCase) => void): CaseGroup {
  const cases: ConformanceCase[] = []
  define((title, run) => cases.push({ title, run }))
  return { name, cases }
}
