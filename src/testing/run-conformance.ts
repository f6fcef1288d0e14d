import { type ConformanceOptions, casesFor } from './conformance/cases.ts'
import { type ConformanceTarget, withStore } from './conformance/store-under-test.ts'

/** A case that a backend failed, with its error. */
export interface ConformanceFailure {
  /** Group and title. */
  name: string
  error: unknown
}

/**
 * Runs the cases one by one, without registering them as tests, and stops at the first failure; null if all pass.
 * With this, backends that are wrong on purpose prove that the suite finds each of them. Call it inside a test:
 * the cases use vitest's `expect`.
 */
export async function firstFailure(
  target: ConformanceTarget,
  options: ConformanceOptions = {},
): Promise<ConformanceFailure | null> {
  for (const { name, cases } of casesFor(options)) {
    for (const { title, run } of cases) {
      try {
        await withStore(target, run)
      } catch (error) {
        return { name: `${name}: ${title}`, error }
      }
    }
  }
  return null
}
