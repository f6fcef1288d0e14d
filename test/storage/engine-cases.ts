import { describe, it } from 'vitest'
import { type ConformanceTarget, withStore } from '../../src/testing/conformance/store-under-test.ts'
import { badInputCases } from './engine/bad-input.ts'
import { concurrencyCases } from './engine/concurrency.ts'
import { directoryCases } from './engine/directory.ts'
import { embeddingCases } from './engine/embedding.ts'
import { historyCases } from './engine/history.ts'
import { isolationCases } from './engine/isolation.ts'
import { lostAnswerCases } from './engine/lost-answers.ts'
import { personalityCases } from './engine/personalities.ts'
import { retryCases } from './engine/retries.ts'
import { searchLayersCases } from './engine/search-layers.ts'
import { searchThreadCases } from './engine/search-threads.ts'
import { sessionEngineCases } from './engine/sessions.ts'
import { upkeepEngineCases } from './engine/upkeep.ts'

const GROUPS = [
  searchLayersCases,
  searchThreadCases,
  embeddingCases,
  historyCases,
  sessionEngineCases,
  directoryCases,
  personalityCases,
  isolationCases,
  concurrencyCases,
  retryCases,
  lostAnswerCases,
  upkeepEngineCases,
  badInputCases,
]

/**
 * Engine behaviour that is independent of the store: on the most used store, and on the least capable one. Other stores run only
 * the cases with these titles.
 */
export function engineCases(target: ConformanceTarget, titles = /./): void {
  describe(`engine over ${target.name}`, () => {
    for (const { name, cases } of GROUPS.filter(({ cases }) => cases.some(({ title }) => titles.test(title)))) {
      describe(name, () => {
        for (const { title, run } of cases.filter((each) => titles.test(each.title)))
          it(title, () => withStore(target, run))
      })
    }
  })
}
