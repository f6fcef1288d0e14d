import { addCases } from './engine/add.ts'
import { bulkAddCases } from './engine/bulk-add.ts'
import { bulkDeleteCases } from './engine/bulk-delete.ts'
import { capabilityCases } from './engine/capabilities.ts'
import { deleteCases } from './engine/delete.ts'
import { getCases } from './engine/get.ts'
import { healthCases } from './engine/health.ts'
import { listCases } from './engine/list.ts'
import { searchEngineCases } from './engine/search.ts'
import { searchNarrowingCases } from './engine/search-narrowing.ts'
import { updateCases } from './engine/update.ts'
import type { CaseGroup } from './group.ts'

/** The contract of a memory provider, tested through the engine. What only the engine decides is in test/storage/engine. */
export const ENGINE_CASES: readonly CaseGroup[] = [
  addCases,
  getCases,
  updateCases,
  deleteCases,
  listCases,
  bulkAddCases,
  bulkDeleteCases,
  searchEngineCases,
  searchNarrowingCases,
  capabilityCases,
  healthCases,
]
