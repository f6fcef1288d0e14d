import { describe, it } from 'vitest'
import { CASES } from './conformance/cases.ts'
import { type ConformanceTarget, withStore } from './conformance/store-under-test.ts'

/**
 * Everything a storage must do, as vitest cases: call it at the top of a test file. The storage itself is asked first, then
 * the engine over it, as users do. None is skipped for a capability that the backend lacks: what happens then is asserted too.
 */
export function storageConformance(target: ConformanceTarget): void {
  describe(`storage: ${target.name}`, () => {
    for (const { name, cases } of CASES) {
      describe(name, () => {
        for (const { title, run } of cases) it(title, () => withStore(target, run))
      })
    }
  })
}
