import type { CaseGroup } from './group.ts'
import { changeCases } from './storage/changes.ts'
import { commitCases } from './storage/commit.ts'
import { commitKeyCases } from './storage/commit-keys.ts'
import { conditionCases } from './storage/conditions.ts'
import { documentCases } from './storage/documents.ts'
import { handleCases } from './storage/handles.ts'
import { lifecycleCases } from './storage/lifecycle.ts'
import { memoriesCases } from './storage/memories.ts'
import { onceKeyCases } from './storage/once-keys.ts'
import { randomCases } from './storage/random.ts'
import { referenceCases } from './storage/reference.ts'
import { scopeCases } from './storage/scopes.ts'
import { searchCases } from './storage/search.ts'
import { sessionCases } from './storage/sessions.ts'
import { eventCases, showingCases } from './storage/showings.ts'
import { sizeCases } from './storage/sizes.ts'
import { upkeepCases } from './storage/upkeep.ts'
import { vectorCases } from './storage/vectors.ts'

/** Tests the storage itself: everything the engine relies on, and everything that may differ between backends. */
export const STORAGE_CASES: readonly CaseGroup[] = [
  commitCases,
  commitKeyCases,
  onceKeyCases,
  changeCases,
  memoriesCases,
  conditionCases,
  scopeCases,
  searchCases,
  vectorCases,
  sessionCases,
  showingCases,
  eventCases,
  documentCases,
  handleCases,
  upkeepCases,
  lifecycleCases,
  sizeCases,
  randomCases,
  referenceCases,
]
