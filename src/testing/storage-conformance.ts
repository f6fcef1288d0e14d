import { describe } from 'vitest'
import { describeAdd } from './conformance/add.ts'
import { describeBadInput } from './conformance/bad-input.ts'
import { describeBulkAdd } from './conformance/bulk-add.ts'
import { describeBulkDelete } from './conformance/bulk-delete.ts'
import { describeCapabilities } from './conformance/capabilities.ts'
import { describeCommit } from './conformance/commit.ts'
import { describeConcurrency } from './conformance/concurrency.ts'
import { describeDelete } from './conformance/delete.ts'
import { describeDirectory } from './conformance/directory.ts'
import { describeEmbedding } from './conformance/embedding.ts'
import { describeGet } from './conformance/get.ts'
import { describeHealth } from './conformance/health.ts'
import { describeHistory } from './conformance/history.ts'
import { describeIsolation } from './conformance/isolation.ts'
import { describeList } from './conformance/list.ts'
import { describePersonalities } from './conformance/personalities.ts'
import { describeReference } from './conformance/reference.ts'
import { describeRetries } from './conformance/retries.ts'
import { describeSearch } from './conformance/search.ts'
import { describeSessions } from './conformance/sessions.ts'
import type { ConformanceTarget } from './conformance/store-under-test.ts'
import { describeUpdate } from './conformance/update.ts'

/**
 * Everything a storage must do, as vitest cases: call it at the top of a test file. Most cases go through the engine, as
 * users do; `commit` asks the storage itself. A backend passes when all of them do; none is skipped for a capability
 * that it lacks, because what happens then is asserted too.
 */
export function storageConformance(target: ConformanceTarget): void {
  describe(`storage: ${target.name}`, () => {
    describeAdd(target)
    describeSearch(target)
    describeGet(target)
    describeUpdate(target)
    describeDelete(target)
    describeList(target)
    describeBulkAdd(target)
    describeBulkDelete(target)
    describeEmbedding(target)
    describeHealth(target)
    describeHistory(target)
    describeDirectory(target)
    describeSessions(target)
    describePersonalities(target)
    describeIsolation(target)
    describeConcurrency(target)
    describeCommit(target)
    describeReference(target)
    describeRetries(target)
    describeBadInput(target)
    describeCapabilities(target)
  })
}
