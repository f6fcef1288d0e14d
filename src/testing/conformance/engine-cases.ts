import { addCases } from './engine/add.ts'
import { badInputCases } from './engine/bad-input.ts'
import { bulkAddCases } from './engine/bulk-add.ts'
import { bulkDeleteCases } from './engine/bulk-delete.ts'
import { capabilityCases } from './engine/capabilities.ts'
import { concurrencyCases } from './engine/concurrency.ts'
import { deleteCases } from './engine/delete.ts'
import { directoryCases } from './engine/directory.ts'
import { embeddingCases } from './engine/embedding.ts'
import { getCases } from './engine/get.ts'
import { healthCases } from './engine/health.ts'
import { historyCases } from './engine/history.ts'
import { isolationCases } from './engine/isolation.ts'
import { listCases } from './engine/list.ts'
import { lostAnswerCases } from './engine/lost-answers.ts'
import { personalityCases } from './engine/personalities.ts'
import { retryCases } from './engine/retries.ts'
import { searchEngineCases } from './engine/search.ts'
import { searchLayersCases } from './engine/search-layers.ts'
import { searchNarrowingCases } from './engine/search-narrowing.ts'
import { searchThreadCases } from './engine/search-threads.ts'
import { sessionEngineCases } from './engine/sessions.ts'
import { updateCases } from './engine/update.ts'
import { upkeepEngineCases } from './engine/upkeep.ts'
import type { CaseGroup } from './group.ts'

/** Asked through the engine, as users do. */
export const ENGINE_CASES: readonly CaseGroup[] = [
  addCases,
  getCases,
  updateCases,
  deleteCases,
  listCases,
  bulkAddCases,
  bulkDeleteCases,
  searchEngineCases,
  searchLayersCases,
  searchNarrowingCases,
  searchThreadCases,
  embeddingCases,
  historyCases,
  sessionEngineCases,
  directoryCases,
  personalityCases,
  isolationCases,
  concurrencyCases,
  capabilityCases,
  retryCases,
  lostAnswerCases,
  healthCases,
  upkeepEngineCases,
  badInputCases,
]
