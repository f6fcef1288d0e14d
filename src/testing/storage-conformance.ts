import { describe, it } from 'vitest'
import { type ConformanceOptions, casesFor } from './conformance/cases.ts'
import { type ConformanceTarget, withStore } from './conformance/store-under-test.ts'

/**
 * Everything a storage must do, as vitest cases: call it at the top of a test file. With `engine: true` the engine is asked too, as
 * users do. No case is skipped for a capability that the backend lacks: what happens then is asserted too.
 */
export function storageConformance(target: ConformanceTarget, options: ConformanceOptions = {}): void {
  describe(`storage: ${target.name}`, () => {
    for (const { name, cases } of casesFor(options)) {
      describe(name, () => {
        for (const { title, run } of cases) it(title, () => withStore(target, run))
      })
    }
  })
}
