import { describe, it } from 'vitest'
import { type ConformanceOptions, casesFor } from './conformance/cases.ts'
import { type ConformanceTarget, withStore } from './conformance/store-under-test.ts'

/**
 * Everything a storage must do, as vitest cases: call it at the top of a test file. With `engine: true` it also tests through the
 * engine. No case is skipped for a missing capability: the expected behaviour is asserted instead.
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
